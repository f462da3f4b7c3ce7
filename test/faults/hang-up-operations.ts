import { createHash } from 'node:crypto';
import type { Versioning } from '../../src/manifest/records/bucket.ts';
import type { AmendedFields } from '../../src/manifest/versions/object-amendment.ts';
import type { Call } from '../../src/observe/call.ts';
import type { WriteConditions } from '../../src/protocol/conditions.ts';
import { testCall } from '../support/test-call.ts';
import { encryptedBy } from '../../src/manifest/heads/keep-apart.ts';
import type { KeepApart } from '../../src/manifest/heads/object-requests.ts';
import { CUSTOMER_KEY, OWNER, type HangUpWorld } from './hang-up-world.ts';

const UNDER_KEY: KeepApart = { kind: 'customer', key: CUSTOMER_KEY };

/** A key before the operation: what was done to it, in the bucket's own state unless said otherwise. */
export const STARTS: Readonly<Record<Versioning, Readonly<Record<string, (world: HangUpWorld) => Promise<unknown>>>>> =
  {
    never: {
      absent: async () => undefined,
      inline: (world) => put(world),
      unsettled: (world) => complete(world),
      'under a key': (world) => putUnderKey(world),
    },
    enabled: {
      absent: async () => undefined,
      'two versions': (world) => inTurn(world, put, put),
      'version over null': (world) => inTurn(world, as('never', put), put),
      'null from before': as('never', put),
      unsettled: as('suspended', complete),
      marker: (world) => inTurn(world, put, remove),
      'two under keys': (world) => inTurn(world, putUnderKey, putUnderKey),
    },
    suspended: {
      absent: async () => undefined,
      'null over version': (world) => inTurn(world, as('enabled', put), put),
      version: as('enabled', put),
      'unsettled over version': (world) => inTurn(world, as('enabled', put), complete),
      'null under a key over version': (world) => inTurn(world, as('enabled', put), putUnderKey),
      'null marker': (world) => inTurn(world, as('enabled', put), remove),
    },
  };

type Work = (world: HangUpWorld) => Promise<unknown>;

function as(versioning: Versioning, work: Work): Work {
  return async (world) => {
    const { versioning: own } = world;
    world.versioning = versioning;
    await work(world);
    world.versioning = own;
  };
}

async function inTurn(world: HangUpWorld, ...works: Work[]): Promise<void> {
  for (const work of works) await work(world);
}

function put(world: HangUpWorld): Promise<unknown> {
  return world.objects.put({ bucket: world.bucket, key: 'k' }, world.request(`old ${world.nextNumber()}`), testCall());
}

function putUnderKey(world: HangUpWorld): Promise<unknown> {
  const request = world.request(`old ${world.nextNumber()} under a key`, { keepApart: UNDER_KEY });
  return world.objects.put({ bucket: world.bucket, key: 'k' }, request, testCall());
}

function remove(world: HangUpWorld): Promise<unknown> {
  return world.objects.remove({ bucket: world.bucket, key: 'k' }, { conditions: {}, ownerId: OWNER }, testCall());
}

async function complete(world: HangUpWorld): Promise<unknown> {
  return (await started(world))({}, testCall());
}

/** An upload with its one part. @returns what completes it */
async function started(
  world: HangUpWorld,
  keepApart?: KeepApart,
): Promise<(conditions: WriteConditions, call: Call) => Promise<unknown>> {
  const { uploads, bucket } = world;
  const attributes = { headers: {}, userMetadata: {} };
  const target = await uploads.create(
    { bucket, key: 'k' },
    { ownerId: OWNER, attributes, ...(keepApart && { encryption: encryptedBy(keepApart) }) },
    testCall(),
  );
  const body = Buffer.from('of parts');
  const facts = { md5: createHash('md5').update(body).digest('hex') };
  const { etag } = await uploads.putPart(
    await uploads.find(target, testCall()),
    { number: 1, body, facts, ...(keepApart && { keepApart }) },
    testCall(),
  );
  const parts = [{ number: 1, etag, checksums: {} }];
  const rest = { expected: {}, beforeAssembly: () => undefined, beforePublication: async () => undefined };
  return (conditions, call) => uploads.complete(target, { parts, conditions, ...rest }, call);
}

/**
 * A changing operation. `prepare` runs before anything goes wrong; what it returns may be asked for again by the
 * client.
 */
export interface HangUpOperation {
  readonly name: string;
  readonly in?: readonly Versioning[];
  readonly prepare: (world: HangUpWorld) => Promise<(call: Call) => Promise<unknown>>;
  /** Its repetition, after an outcome that nobody knew, answers the same and changes nothing more. */
  readonly once?: true;
}

const CONDITIONS: readonly (readonly [string, WriteConditions])[] = [
  ['', {}],
  [' If-None-Match: *', { ifNoneMatch: '*' }],
  [' If-Match: *', { ifMatch: '*' }],
];

function putting(): HangUpOperation[] {
  return [
    ...puttingUnderKeys(),
    ...CONDITIONS.flatMap(([said, conditions]): HangUpOperation[] => [
      {
        name: `PUT${said}`,
        prepare: async (world) => (call) =>
          world.objects.put({ bucket: world.bucket, key: 'k' }, world.request('new', { conditions }), call),
      },
      {
        name: `PUT, streamed${said}`,
        prepare: async (world) => (call) =>
          world.objects.put({ bucket: world.bucket, key: 'k' }, world.streamed('new', { conditions }), call),
      },
      {
        name: `CompleteMultipartUpload${said}`,
        once: true,
        prepare: async (world) => {
          const again = await started(world);
          return (call) => again(conditions, call);
        },
      },
      { name: `CopyObject${said}`, prepare: (world) => copying(world, conditions) },
      {
        name: `PUT under a key${said}`,
        prepare: async (world) => (call) =>
          world.objects.put(
            { bucket: world.bucket, key: 'k' },
            world.request('new', { conditions, keepApart: UNDER_KEY }),
            call,
          ),
      },
    ]),
  ];
}

/** Their bytes go first, to where nothing names them. */
function puttingUnderKeys(): HangUpOperation[] {
  return [
    {
      name: 'PUT under a key, streamed',
      prepare: async (world) => (call) =>
        world.objects.put({ bucket: world.bucket, key: 'k' }, world.streamed('new', { keepApart: UNDER_KEY }), call),
    },
    {
      name: 'CompleteMultipartUpload under a key',
      once: true,
      prepare: async (world) => {
        const again = await started(world, UNDER_KEY);
        return (call) => again({}, call);
      },
    },
    { name: 'CopyObject to a key', prepare: (world) => copying(world, {}, UNDER_KEY) },
    {
      name: 'CopyObject to a key If-Match: *',
      prepare: (world) => copying(world, { ifMatch: '*' }, UNDER_KEY),
    },
  ];
}

async function copying(
  world: HangUpWorld,
  conditions: WriteConditions,
  keepApart?: KeepApart,
): Promise<(call: Call) => Promise<unknown>> {
  const { objects, bucket } = world;
  await objects.put({ bucket, key: 'source' }, world.request('copied'), testCall());
  const view = await objects.find({ bucket, key: 'source' }, testCall());
  const { attributes, ownerId } = world.request('');
  return (call) =>
    objects.copy(
      { bucket, key: 'k' },
      {
        attributes,
        ownerId,
        conditions,
        source: { bucket, view },
        sameAttributes: true,
        ...(keepApart && { keepApart }),
      },
      call,
    );
}

function removing(): HangUpOperation[] {
  const at = (world: HangUpWorld, key: string, versionId?: string) => ({ bucket: world.bucket, key, versionId });
  const ask = (conditions: WriteConditions = {}) => ({ conditions, ownerId: OWNER });
  return [
    { name: 'DELETE', prepare: async (world) => (call) => world.objects.remove(at(world, 'k'), ask(), call) },
    {
      name: 'DELETE If-Match: *',
      prepare: async (world) => (call) => world.objects.remove(at(world, 'k'), ask({ ifMatch: '*' }), call),
    },
    {
      name: 'DELETE ?versionId=null',
      prepare: async (world) => (call) => world.objects.remove(at(world, 'k', 'null'), ask(), call),
    },
    {
      name: 'DELETE ?versionId of the newest',
      in: ['enabled', 'suspended'],
      once: true,
      prepare: async (world) => {
        const { versionId } = await world.objects.put(
          { bucket: { ...world.bucket, versioning: 'enabled' }, key: 'k' },
          world.request('newest'),
          testCall(),
        );
        return (call) => world.objects.remove(at(world, 'k', versionId), ask(), call);
      },
    },
    {
      name: 'DELETE ?versionId of one that is not current',
      in: ['enabled', 'suspended'],
      once: true,
      prepare: async (world) => {
        const { versionId } = await world.objects.put(
          { bucket: { ...world.bucket, versioning: 'enabled' }, key: 'k' },
          world.request('older'),
          testCall(),
        );
        await put(world);
        return (call) => world.objects.remove(at(world, 'k', versionId), ask(), call);
      },
    },
    {
      name: 'DeleteObjects',
      prepare: async (world) => {
        await world.objects.put({ bucket: world.bucket, key: 'l' }, world.request('beside'), testCall());
        return (call) => Promise.all(['k', 'l'].map((key) => world.objects.remove(at(world, key), ask(), call)));
      },
    },
  ];
}

const SAYINGS: Readonly<Record<string, AmendedFields>> = {
  PutObjectTagging: { tags: [{ key: 'a', value: 'tagged' }] },
  PutObjectAcl: { acl: [{ grantee: { kind: 'owner' }, permission: 'FULL_CONTROL' }] },
  PutObjectRetention: { lock: { retention: { mode: 'GOVERNANCE', until: Date.UTC(2100, 0) } } },
};

function amending(): HangUpOperation[] {
  return Object.entries(SAYINGS).flatMap(([name, fields]): HangUpOperation[] => [
    {
      name,
      once: true,
      prepare: async (world) => (call) => world.objects.amend({ bucket: world.bucket, key: 'k' }, () => fields, call),
    },
    {
      name: `${name} of the null version`,
      once: true,
      prepare: async (world) => (call) =>
        world.objects.amend({ bucket: world.bucket, key: 'k', versionId: 'null' }, () => fields, call),
    },
  ]);
}

export const OPERATIONS: readonly HangUpOperation[] = [...putting(), ...removing(), ...amending()];
