import { z } from 'zod';
import { atMostOne, path } from './schema-parts.ts';

export const STS = z
  .strictObject({
    keysFile: path(
      'File with the secrets that session tokens are sealed with, one a line, each of 32 characters or more (`openssl rand -base64 32`): the first one seals, all of them open. Read again when it changes.',
    ).optional(),
    keysEnv: z.string().min(1).optional().describe('Environment variable that holds them.'),
    keys: z
      .array(z.string().min(32))
      .min(1)
      .optional()
      .describe('The secrets themselves. Prefer one of the other two.'),
  })
  .superRefine(atMostOne('keysFile', 'keysEnv', 'keys'))
  .describe('Temporary credentials. Without keys none are issued and none are taken. All replicas need the same.');
