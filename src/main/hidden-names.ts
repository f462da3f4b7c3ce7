import { type BucketNames, hiddenBuckets } from '../manifest/index.ts';
import type { Call } from '../observe/call.ts';
import type { Log } from '../observe/log.ts';

/** So many of a backend are logged one by one. */
const MAX_LOGGED = 20;

/**
 * Logs which buckets stand and cannot be reached by their names, because an alias or a rule of the configuration gives
 * these to others. Never rejects: a gateway that cannot look serves all the same.
 */
export async function warnOfHiddenBuckets(names: BucketNames, log: Log, call: Call): Promise<void> {
  const { backends } = names.realm;
  await Promise.all(
    backends.map(async (backend) => {
      try {
        const hidden = await hiddenBuckets(backend, names, call);
        for (const { bucket, instead } of hidden.slice(0, MAX_LOGGED)) {
          log.warn(
            { bucket, backend: backend.name, instead },
            'a bucket cannot be reached by its name, which buckets.aliases, buckets.rules or buckets.prefixes give to another',
          );
        }
        const more = hidden.length - MAX_LOGGED;
        if (more > 0) log.warn({ backend: backend.name, more }, 'more buckets cannot be reached by their names');
      } catch (error) {
        if (call.signal.aborted) return;
        log.warn({ backend: backend.name, err: error }, 'could not check whether names hide buckets of this backend');
      }
    }),
  );
}
