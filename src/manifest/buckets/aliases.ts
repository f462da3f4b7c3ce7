import { S3Error } from '../../errors/s3-error.ts';
import { isBucketName } from '../../protocol/bucket-name.ts';
import type { BucketRegistry } from './buckets.ts';

/** The bucket that a name means when it is no bucket's own; undefined: it is. */
export type AliasOf = (name: string) => string | undefined;

/**
 * Buckets that have further names. Whatever is asked of one is asked of the bucket; but a name that the configuration
 * gives is neither made nor removed by a client, nor is the bucket under it.
 */
export function withAliases(registry: BucketRegistry, aliasOf: AliasOf): BucketRegistry {
  const meant = (name: string): string => {
    const bucket = aliasOf(name);
    if (bucket === undefined) return name;
    if (!isBucketName(bucket)) throw new S3Error('NoSuchBucket', { extra: { BucketName: name } });
    return bucket;
  };
  return {
    ...registry,
    get: async (name, call) => registry.get(meant(name), call),
    getForStranger: async (name, call) => registry.getForStranger(meant(name), call),
    async getToDelete(name, call) {
      if (aliasOf(name) === undefined) return registry.getToDelete(name, call);
      await registry.get(meant(name), call);
      throw new S3Error('AccessDenied', {
        message: `${name} is another name of a bucket, which can be deleted by its own.`,
      });
    },
    async create(request, call) {
      if (aliasOf(request.name) !== undefined) {
        throw new S3Error('BucketAlreadyExists', { extra: { BucketName: request.name } });
      }
      return registry.create(request, call);
    },
  };
}
