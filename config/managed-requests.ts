import { z } from 'zod';
import { WRITTEN_POLICY } from './schema-identities.ts';
import {
  BROUGHT_KEY,
  MANAGED_KEY_ID,
  MANAGED_POLICY_NAME,
  MANAGED_QUOTA,
  MANAGED_USER_NAME,
  MANAGED_USER_SETTINGS,
} from './schema-managed.ts';
import { ConfigError, plainMessage, settingLines } from './setting-lines.ts';

const NEW_BUCKET = z.strictObject({
  account: z.string().min(1).describe('Name of the account that owns it.'),
  objectLock: z.boolean().optional().describe('With object lock, which only new buckets can have. Absent: either.'),
  backend: z.string().min(1).optional().describe('Where it must lie by its name, or it is not made.'),
});

/** Reads something that a caller of the admin API sends. */
interface SentReader {
  /** JSON Schema. */
  readonly schema: object;
  /** @throws ConfigError */
  parse(sent: unknown): unknown;
}

/** Bodies of requests, by their names in the OpenAPI document. */
export const SENT_BODIES = {
  UserSettings: reader(MANAGED_USER_SETTINGS),
  NewKey: reader(z.strictObject({})),
  BroughtKey: reader(BROUGHT_KEY),
  Policy: reader(WRITTEN_POLICY),
  NewBucket: reader(NEW_BUCKET),
  Quota: reader(MANAGED_QUOTA),
} as const;

/** Names in paths, of what is made. */
export const SENT_NAMES = {
  user: reader(MANAGED_USER_NAME),
  policy: reader(MANAGED_POLICY_NAME),
  accessKeyId: reader(MANAGED_KEY_ID),
} as const;

function reader(schema: z.ZodType): SentReader {
  return {
    schema: z.toJSONSchema(schema, { io: 'input' }),
    parse(sent) {
      const { success, data, error } = schema.safeParse(sent, { error: plainMessage });
      // Without the error itself as the cause: what was sent may stand in there, a secret, say.
      if (!success) throw new ConfigError(settingLines(error).map((line) => line.replace(/^configuration: /, '')));
      return data;
    },
  };
}
