import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ENDPOINTS } from '../../../../src/admin/manage/endpoints.ts';
import { startAdminServer } from '../../../../src/admin/server.ts';
import { adminMain, parseAdminArguments } from '../../../../src/main/admin-command/admin-main.ts';
import { COMMANDS } from '../../../../src/main/admin-command/commands.ts';
import { MANAGE_TOKEN, type ManagedProcess, ManagedWorld, READ_TOKEN } from '../../../support/managed/managed-world.ts';
import { SILENT } from '../../../support/silent-log.ts';

const world = new ManagedWorld();
const folder = mkdtempSync(join(tmpdir(), 'admin-'));
let gateway: ManagedProcess;

beforeAll(async () => {
  gateway = await world.start();
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});
afterEach(() => vi.restoreAllMocks());

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** Runs the command against the gateway of this file. */
async function admin(line: string, token = MANAGE_TOKEN): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => err.push(String(text)) > 0);
  const environment = { GATEWAY_ADMIN_URL: gateway.url, GATEWAY_ADMIN_TOKEN: token };
  const code = await adminMain(line.split(' '), environment);
  vi.restoreAllMocks();
  return { code, out: out.join(''), err: err.join('') };
}

describe('npm run admin', () => {
  it('makes, shows and removes', async () => {
    expect(await admin('bucket create photos --account team')).toMatchObject({ code: 0 });
    expect((await admin('bucket list --prefix pho')).out).toMatch(
      /^name +account +backend +createdAt\nphotos +team +store /,
    );
    const made = await admin(
      'user create alice --account team --bucket photos --prefix a/ --read-only --group readers',
    );
    expect(made.out).toContain('"buckets":["photos"],"prefix":"a/","readOnly":true');
    const created = await admin('key create --account team --user alice --json');
    const { accessKeyId } = JSON.parse(created.out) as { accessKeyId: string };
    expect(gateway.inForce.identities.accounts.byAccessKey(accessKeyId)?.user?.name).toBe('alice');
    expect((await admin('key list --account team --user alice')).out).toContain(accessKeyId);
    const brought = `key create BROUGHTBROUGHT00 --account team --user alice --secret-file ${file('secret', 'some-secret-of-mine\n')}`;
    expect((await admin(brought)).code).toBe(0);
    expect(
      (await admin(`policy put some --account team --file ${file('policy.json', '{"buckets":["a"]}')}`)).code,
    ).toBe(0);
    expect((await admin('policy list --account team')).out).toMatch(/^some +true$/m);
    expect((await admin('quota set --bucket photos --bytes 1000')).out).toBe('bytes  1000\n');
    expect(await admin('quota remove --bucket photos')).toEqual({ code: 0, out: '', err: '' });
    expect((await admin(`key delete ${accessKeyId} --account team --user alice`)).code).toBe(0);
    expect((await admin('user delete alice --account team')).code).toBe(0);
    expect(gateway.inForce.identities.accounts.byAccessKey('BROUGHTBROUGHT00')).toBeUndefined();
    expect((await admin('bucket delete photos')).code).toBe(0);
  });

  it('says what the gateway refuses, with another exit code than where it cannot ask', async () => {
    const refused = await admin('user show none --account team');
    expect(refused).toEqual({ code: 2, out: '', err: 'the gateway answers 404 NoSuchEntity: there is no user none\n' });
    expect((await admin('user create bob --account team', READ_TOKEN)).err).toMatch(
      /^the gateway answers 403: this token/,
    );
    const code = await adminMain(['usage', '--url', 'http://127.0.0.1:1'], {});
    expect(code).toBe(1);
  });

  it('says that the API is off, where nobody may use it', async () => {
    const server = await startAdminServer({ host: '127.0.0.1', port: 0, parts: [], log: SILENT });
    const refused = await admin(`bucket list --url http://127.0.0.1:${String(server.address.port)}`);
    await server.close();
    expect(refused.code).toBe(2);
    expect(refused.err).toMatch(/^the gateway answers 404: .*\nIts admin API is off: .*\(admin\.manage\)\.\n$/);
  });

  it.each([
    ['frobnicate', 'there is no command frobnicate'],
    ['user create --account team', 'usage: npm run admin -- user create NAME'],
    ['user create a b --account team', 'usage: npm run admin -- user create NAME'],
    ['user create a', '--account: expected a value'],
    ['user create a --account team --object-lock', '--object-lock: not with user create'],
    ['user create a --account team --token secret', 'token'],
    ['user create a --account team --settings none.json', '--settings: none.json cannot be read'],
    ['key create ID --account team --user a', '--secret-file: expected a value'],
    ['quota set --bytes 5', 'expected one of --account, --bucket'],
    ['quota set --bucket a --bytes -5', 'bytes'],
    ['bucket list --url example.com', '--url: expected http://HOST:PORT'],
  ])('says what is wrong with %s', (line, message) => {
    expect(() => parseAdminArguments(line.split(' '), {})).toThrow(message);
  });

  it('reaches all that changes something', () => {
    const values = { account: 'x', user: 'x', file: file('any.json', '{}'), 'secret-file': file('any', 'x') };
    const asked = Object.values(COMMANDS).flatMap(({ request, options }) => {
      const given = Object.fromEntries(Object.entries(values).filter(([name]) => options.some((one) => one === name)));
      const ofBucket = { bucket: ['x'] };
      const both = options.includes('bucket') && options.includes('account') && options.length < 5;
      return [given, ...(both ? [ofBucket] : [])].map((one) => {
        const { method, path } = request('x', one);
        return `${method} ${path.replace(/\?.*/, '')}`;
      });
    });
    const isAsked = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
      asked.includes(`${method} /api/admin/v1${path.replaceAll(/\{\w+\}/g, 'x')}`);
    const changes = Object.values(ENDPOINTS).filter(
      ({ method, path }) => method !== 'GET' && !(method === 'POST' && path.endsWith('/keys')),
    );
    expect(changes.filter((endpoint) => !isAsked(endpoint))).toEqual([]);
  });
});
