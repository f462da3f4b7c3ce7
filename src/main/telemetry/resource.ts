import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { defaultResource, detectResources, envDetector, resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import { newHostId } from '../../observe/random-id.ts';

/** What all telemetry of this process is of. `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` win over what is found here. */
export function processResource(): Resource {
  const { version } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../../package.json'), 'utf8')) as { readonly version: string };
  const own = resourceFromAttributes({
    'service.name': 's3-cloud-gateway',
    'service.version': version,
    'service.instance.id': newHostId().replaceAll(/[^A-Za-z0-9]/g, '').slice(0, 16),
    'host.name': hostname(),
    'process.pid': process.pid,
  });
  return defaultResource().merge(own).merge(detectResources({ detectors: [envDetector] }));
}
