/** JSON Schema of answers, as the OpenAPI document has it (a test holds real answers against it). */
type AnswerSchema = Readonly<Record<string, unknown>>;

const TEXT = { type: 'string' } as const;
const COUNT = { type: 'integer', minimum: 0 } as const;
const MOMENT = { type: 'string', format: 'date-time' } as const;

function object(properties: Readonly<Record<string, AnswerSchema>>, optional: readonly string[] = []): AnswerSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}

function listOf(name: string, items: AnswerSchema): AnswerSchema {
  return object({ [name]: { type: 'array', items } });
}

function answer(name: string): AnswerSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Why something of the document is not in force; absent where it is. */
const FAULT = { fault: TEXT };
const KEY = { accessKeyId: TEXT, createdAt: MOMENT };
const LISTED_BUCKET = object({ name: TEXT, account: TEXT, backend: TEXT, createdAt: MOMENT });

export const ANSWER_SCHEMAS = {
  Account: object(
    {
      name: TEXT,
      canonicalId: TEXT,
      accountNumber: TEXT,
      displayName: TEXT,
      users: COUNT,
      policies: COUNT,
      quota: answer('Quota'),
      ...FAULT,
    },
    ['canonicalId', 'accountNumber', 'displayName', 'quota', 'fault'],
  ),
  AccountList: listOf('accounts', answer('Account')),
  User: object(
    {
      account: TEXT,
      name: TEXT,
      arn: TEXT,
      managed: { type: 'boolean' },
      settings: { type: 'object' },
      keys: { type: 'array', items: answer('Key') },
      ...FAULT,
    },
    ['arn', 'fault'],
  ),
  UserList: listOf('users', answer('User')),
  Key: object({ ...KEY, ...FAULT }, ['createdAt', 'fault']),
  KeyList: listOf('keys', answer('Key')),
  CreatedKey: object({ ...KEY, secretAccessKey: TEXT }),
  Policy: object({ account: TEXT, name: TEXT, managed: { type: 'boolean' }, policy: { type: 'object' }, ...FAULT }, [
    'fault',
  ]),
  PolicyList: listOf('policies', object({ name: TEXT, managed: { type: 'boolean' }, ...FAULT }, ['fault'])),
  Bucket: object({
    name: TEXT,
    account: TEXT,
    ownerId: TEXT,
    backend: TEXT,
    region: TEXT,
    objectLock: { type: 'boolean' },
    versioning: { type: 'string', enum: ['never', 'enabled', 'suspended'] },
    createdAt: MOMENT,
  }),
  BucketList: object({ buckets: { type: 'array', items: LISTED_BUCKET }, more: { type: 'boolean' } }),
  Quota: object({ bytes: COUNT, objects: COUNT }, ['bytes', 'objects']),
  Failure: object({ error: TEXT, code: TEXT }, ['code']),
} as const;

export type AnswerName = Exclude<keyof typeof ANSWER_SCHEMAS, 'Failure'>;
