import fc from 'fast-check';
import type {
  Attributes,
  Call,
  LegalHold,
  NamedVersion,
  Page,
  Retention,
  WriteConditions,
} from '../reference/calls.ts';
import { CANNED_ACLS } from '../reference/objects.ts';

/**
 * A call in which some texts stand for what is known only when it is sent (`resolve.ts` says what they
 * mean). So a program keeps a meaning whatever is taken out of it.
 */
export interface Command {
  readonly call: Call;
  /** Of a listing: its pages are followed to the end. */
  readonly walk?: true;
}

export interface Program {
  /** Which of the servers it runs on. */
  readonly server: number;
  /** The bucket is made with object lock. */
  readonly objectLock: boolean;
  readonly keys: readonly string[];
  readonly commands: readonly Command[];
}

/** Longer than a blob's name can be when it is escaped. */
const LONGEST = '\u{e9}'.repeat(500);
const KEYS = [
  'a',
  'a/b',
  'a/',
  'a//b',
  'a/../b',
  'dot.',
  'dot./x',
  '\u{1f600}/x',
  '~s3~/x',
  'b c+&<d>',
  '\u{fffd}',
  LONGEST,
];

/** The first, second, third key of the program: few, so that commands meet. */
const key = fc.constantFrom('#0', '#0', '#0', '#1', '#2');
const someVersion = fc.oneof(
  { weight: 8, arbitrary: fc.nat(9).map((n) => `#${n}`) },
  { weight: 3, arbitrary: fc.constant('null') },
  { weight: 1, arbitrary: fc.constantFrom('#other', '#unknown', 'no version', '') },
);
const named: fc.Arbitrary<NamedVersion> = fc.oneof(
  key.map((name) => ({ key: name })),
  fc.tuple(key, someVersion).map(([name, versionId]) => ({ key: name, versionId })),
);
const condition = fc.constantFrom('#current', '#other', '*');
const conditions: fc.Arbitrary<WriteConditions> = fc.oneof(
  { weight: 5, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: condition.map((ifMatch) => ({ ifMatch })) },
  { weight: 1, arbitrary: condition.map((ifNoneMatch) => ({ ifNoneMatch })) },
);
const tags = fc.constantFrom({}, { color: 'red' }, { color: 'blue', size: '1' });
const acl = fc.constantFrom(...CANNED_ACLS);
const attributes: fc.Arbitrary<Attributes> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        contentType: fc.constantFrom('text/plain', 'text/html'),
        note: fc.constantFrom('x', 'y'),
        storageClass: fc.constant('STANDARD_IA'),
        tags,
        acl,
      },
      { requiredKeys: [] },
    ),
  },
);
const retention = fc
  .tuple(fc.constantFrom('GOVERNANCE', 'COMPLIANCE'), fc.constantFrom(2060, 2061, 2062))
  .map(([mode, year]): Retention => ({ mode, until: `${year}-01-01T00:00:00.000Z` }));
const hold = fc.constantFrom<LegalHold>('ON', 'OFF');
const lock = fc.record({ retention, hold }, { requiredKeys: [] });
const bypass = fc.constantFrom({}, { bypass: true });
const smallBody = fc.constantFrom('one', 'two', '');
const body = fc.oneof(
  { weight: 12, arbitrary: smallBody },
  { weight: 3, arbitrary: fc.constant('#streamed') },
  { weight: 1, arbitrary: fc.constant('#large') },
);
const partBody = fc.oneof(
  { weight: 3, arbitrary: smallBody },
  { weight: 1, arbitrary: fc.constant('#streamed') },
  { weight: 2, arbitrary: fc.constant('#large') },
);
const range = fc.constantFrom('bytes=0-0', 'bytes=1-', 'bytes=-2', 'bytes=2-100');
const selection: fc.Arbitrary<{ readonly range?: string; readonly partNumber?: number }> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: range.map((value) => ({ range: value })) },
  { weight: 1, arbitrary: fc.constantFrom(1, 2, 3).map((partNumber) => ({ partNumber })) },
);
const upload = fc
  .tuple(fc.constantFrom(0, 0, 0, 1, 2), fc.constantFrom(...Array<string>(12).fill(''), '#1'))
  .map(([n, otherKey]) => ({ uploadId: `#${n}`, key: otherKey }));
const partNumber = fc.constantFrom(1, 1, 2, 10_000);

const keyMarker = fc.oneof(key, fc.constantFrom('a/', 'a', 'a/a', 'c', '\u{1f600}', '~'));
const page: fc.Arbitrary<Page> = fc.record(
  {
    prefix: fc.oneof(fc.constantFrom('a', 'a/', '\u{1f600}/', ''), key),
    delimiter: fc.constantFrom('/', '/b', '.', ''),
    limit: fc.constantFrom(1, 2, 3, 5, 1000, 0),
  },
  { requiredKeys: [] },
);

/** How often each comes up, and what it looks like. */
const WEIGHTED: readonly (readonly [weight: number, fc.Arbitrary<Call>])[] = [
  [
    14,
    fc
      .tuple(key, body, attributes, conditions)
      .map(([name, text, more, when]) => ({ op: 'PutObject', key: name, body: text, ...more, ...when })),
  ],
  [2, fc.constantFrom('Enabled', 'Enabled', 'Suspended').map((status) => ({ op: 'PutBucketVersioning', status }))],
  [1, fc.constant({ op: 'GetBucketVersioning' })],
  [
    6,
    fc
      .tuple(named, conditions, selection)
      .map(([name, when, bytes]) => ({ op: 'GetObject', ...name, ...when, ...bytes })),
  ],
  [
    3,
    fc
      .tuple(named, conditions, selection)
      .map(([name, when, bytes]) => ({ op: 'HeadObject', ...name, ...when, ...bytes })),
  ],
  [1, named.map((name) => ({ op: 'GetObjectAttributes', ...name }))],
  [
    5,
    fc
      .tuple(named, key, attributes, conditions, conditions, fc.boolean(), fc.boolean())
      .map(([source, name, more, when, sourceConditions, replaceMetadata, replaceTags]) => ({
        op: 'CopyObject',
        key: name,
        source,
        ...more,
        ...when,
        sourceConditions,
        replaceMetadata,
        replaceTags,
      })),
  ],
  [5, key.map((name) => ({ op: 'DeleteObject', key: name }))],
  [6, fc.tuple(key, someVersion).map(([name, versionId]) => ({ op: 'DeleteObject', key: name, versionId }))],
  [1, fc.tuple(named, condition).map(([name, ifMatch]) => ({ op: 'DeleteObject', ...name, ifMatch }))],
  [
    2,
    fc
      .tuple(fc.array(named, { minLength: 1, maxLength: 4 }), fc.boolean())
      .map(([objects, quiet]) => ({ op: 'DeleteObjects', objects, quiet })),
  ],
  [1, named.map((name) => ({ op: 'GetObjectTagging', ...name }))],
  [3, fc.tuple(named, tags).map(([name, value]) => ({ op: 'PutObjectTagging', ...name, tags: value }))],
  [1, named.map((name) => ({ op: 'DeleteObjectTagging', ...name }))],
  [1, named.map((name) => ({ op: 'GetObjectAcl', ...name }))],
  [2, fc.tuple(named, acl).map(([name, value]) => ({ op: 'PutObjectAcl', ...name, acl: value }))],
  [4, fc.tuple(key, attributes).map(([name, more]) => ({ op: 'CreateMultipartUpload', key: name, ...more }))],
  [
    8,
    fc
      .tuple(upload, partNumber, partBody)
      .map(([name, number, text]) => ({ op: 'UploadPart', ...name, number, body: text })),
  ],
  [
    2,
    fc
      .tuple(
        upload,
        partNumber,
        named,
        fc.option(fc.constantFrom('bytes=0-0', 'bytes=1-5242880', 'bytes=0-9999999', 'bytes=9999999-9999999'), {
          nil: undefined,
        }),
      )
      .map(([name, number, source, some]) => ({
        op: 'UploadPartCopy',
        ...name,
        number,
        source,
        ...(some !== undefined && { range: some }),
      })),
  ],
  [
    6,
    fc
      .tuple(
        upload,
        fc.constantFrom('#all', '#all', '#all', '#all', '#first', '#last', '#reversed', '#wrong', '#none'),
        conditions,
      )
      .map(([name, etag, when]) => ({ op: 'CompleteMultipartUpload', ...name, parts: [{ number: 1, etag }], ...when })),
  ],
  [1, upload.map((name) => ({ op: 'AbortMultipartUpload', ...name }))],
  [
    1,
    fc
      .tuple(
        upload,
        fc.record(
          { maxParts: fc.constantFrom(1, 2, 0, 1000), partNumberMarker: fc.constantFrom(1, 2, 9999, 20_000) },
          { requiredKeys: [] },
        ),
      )
      .map(([name, some]) => ({ op: 'ListParts', ...name, ...some })),
  ],
  [
    2,
    fc
      .tuple(page, fc.record({ keyMarker, uploadIdMarker: fc.constantFrom('#0', '#1', '#2') }, { requiredKeys: [] }))
      .map(([some, markers]) => ({ op: 'ListMultipartUploads', ...some, ...markers })),
  ],
  [
    2,
    fc
      .tuple(page, fc.record({ marker: keyMarker }, { requiredKeys: [] }))
      .map(([some, marker]) => ({ op: 'ListObjects', ...some, ...marker })),
  ],
  [
    2,
    fc
      .tuple(page, fc.record({ startAfter: keyMarker }, { requiredKeys: [] }))
      .map(([some, marker]) => ({ op: 'ListObjectsV2', ...some, ...marker })),
  ],
  [
    4,
    fc
      .tuple(page, fc.record({ keyMarker, versionIdMarker: someVersion }, { requiredKeys: [] }))
      .map(([some, markers]) => ({ op: 'ListObjectVersions', ...some, ...markers })),
  ],
];

/** The calls that object lock has, or that say something about it. */
const LOCKING: readonly (readonly [weight: number, fc.Arbitrary<Call>])[] = [
  [6, fc.tuple(key, body, lock).map(([name, text, kept]) => ({ op: 'PutObject', key: name, body: text, ...kept }))],
  [
    2,
    fc
      .tuple(named, key, lock)
      .map(([source, name, kept]) => ({ op: 'CopyObject', key: name, source, sourceConditions: {}, ...kept })),
  ],
  [2, fc.tuple(key, lock).map(([name, kept]) => ({ op: 'CreateMultipartUpload', key: name, ...kept }))],
  [
    10,
    fc
      .tuple(key, someVersion, bypass)
      .map(([name, versionId, more]) => ({ op: 'DeleteObject', key: name, versionId, ...more })),
  ],
  [1, fc.tuple(key, bypass).map(([name, more]) => ({ op: 'DeleteObject', key: name, ...more }))],
  [
    3,
    fc
      .tuple(fc.array(named, { minLength: 1, maxLength: 4 }), fc.boolean(), bypass)
      .map(([objects, quiet, more]) => ({ op: 'DeleteObjects', objects, quiet, ...more })),
  ],
  [
    8,
    fc
      .tuple(named, retention, bypass)
      .map(([name, value, more]) => ({ op: 'PutObjectRetention', ...name, retention: value, ...more })),
  ],
  [3, named.map((name) => ({ op: 'GetObjectRetention', ...name }))],
  [5, fc.tuple(named, hold).map(([name, value]) => ({ op: 'PutObjectLegalHold', ...name, hold: value }))],
  [2, named.map((name) => ({ op: 'GetObjectLegalHold', ...name }))],
  [
    1,
    fc
      .option(fc.tuple(fc.constantFrom('GOVERNANCE', 'COMPLIANCE'), fc.constantFrom(1, 10)), { nil: undefined })
      .map((rule) => ({
        op: 'PutObjectLockConfiguration',
        ...(rule !== undefined && { byDefault: { mode: rule[0], days: rule[1] } }),
      })),
  ],
  [1, fc.constant({ op: 'GetObjectLockConfiguration' })],
];

function commandsOf(
  weighted: readonly (readonly [weight: number, fc.Arbitrary<Call>])[],
  maxLength: number,
): fc.Arbitrary<readonly Command[]> {
  const call = fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })));
  const command = fc
    .tuple(call, fc.boolean())
    .map(([one, walk]): Command => (walk && 'limit' in one && one.limit !== 0 ? { call: one, walk } : { call: one }));
  const commands = fc.array(command, { minLength: 1, maxLength, size: 'max' });
  return fc.tuple(beginning, commands).map((both) => both.flat());
}

/** Most buckets get versioning early on, for it is what is looked at. */
const beginning: fc.Arbitrary<readonly Command[]> = fc.constantFrom(
  [{ call: { op: 'PutBucketVersioning', status: 'Enabled' } }],
  [],
  [{ call: { op: 'PutBucketVersioning', status: 'Suspended' } }],
);

export interface ProgramOptions {
  readonly servers: number;
  readonly maxCommands: number;
}

export function anyProgram({ servers, maxCommands }: ProgramOptions): fc.Arbitrary<Program> {
  const server = fc.nat(servers - 1);
  const keys = fc.uniqueArray(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 3 });
  const mostly = fc.constantFrom(true, true, true, false);
  return fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        server,
        objectLock: fc.constant(false),
        keys,
        commands: commandsOf(WEIGHTED, maxCommands),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        server,
        objectLock: mostly,
        keys,
        commands: commandsOf([...WEIGHTED, ...LOCKING], maxCommands),
      }),
    },
  );
}
