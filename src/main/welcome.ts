import type { Writable } from 'node:stream';
import type { Config } from '../../config/schema.ts';
import type { Service } from './service.ts';

/** Tells a newcomer what to do after the first start. The last line works when pasted. */
export function printWelcome(
  config: Config,
  { endpoints, adminEndpoint }: Pick<Service, 'endpoints' | 'adminEndpoint'>,
  out: Writable,
): void {
  const key = config.accounts[0]?.keys[0];
  const endpoint = endpoints[0] ?? '';
  const backends = Object.values(config.backends)
    .map((backend) => backend.kind)
    .join(', ');
  out.write(`S3 endpoint  ${endpoint}  (backend: ${backends})\n`);
  if (adminEndpoint !== undefined && config.admin.inspector) {
    out.write(`inspector    ${adminEndpoint}  (requests as they happen)\n`);
  }
  if (key?.secretAccessKey === undefined) return;
  out.write(`access key   ${key.accessKeyId}\nsecret key   ${key.secretAccessKey}\n\n`);
  const environment = `AWS_ACCESS_KEY_ID=${key.accessKeyId} AWS_SECRET_ACCESS_KEY=${key.secretAccessKey} AWS_DEFAULT_REGION=${config.region}`;
  out.write(`${environment} aws --endpoint-url ${endpoint} s3 ls\n`);
}
