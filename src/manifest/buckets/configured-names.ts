import { S3Error } from '../../errors/s3-error.ts';
import { isBucketName } from '../../protocol/bucket-name.ts';
import type { BucketRegistry } from './buckets.ts';
import type { Realm } from './realm.ts';

/** The bucket that a name means when it is no bucket's own; undefined: it is. */
export type AliasOf = (name: string) => string | undefined;

/**
 * Buckets whose names the configuration gives. Clients read and change them as all others, but neither make nor remove
 * them: by a further name (an alias), because the bucket has its own; a part of a container, because the rest of the
 * container does not belong to the bucket.
 */
export function withConfiguredNames(registry: BucketRegistry, realm: Realm, aliasOf: AliasOf): BucketRegistry {
  const isAlias = (name: string): boolean => aliasOf(name) !== undefined;
  const isPart = (name: string): boolean => realm.backendOf(name).places?.has(name) === true;
  const meant = (name: string): string => {
    const bucket = aliasOf(name) ?? name;
    if (isAlias(name) && !isBucketName(bucket)) throw new S3Error('NoSuchBucket', { extra: { BucketName: name } });
    return bucket;
  };
  return {
    ...registry,
    get: async (name, call) => registry.get(meant(name), call),
    getForStranger: async (name, call) => registry.getForStranger(meant(name), call),
    async getToDelete(name, call) {
      if (!isAlias(name) && !isPart(name)) return registry.getToDelete(name, call);
      await registry.get(meant(name), call);
      throw new S3Error('AccessDenied', {
        message: isAlias(name)
          ? `${name} is another name of a bucket, which can be deleted by its own.`
          : `${name} is part of a container, and deleted by its operator only.`,
      });
    },
    async create(request, call) {
      const { name, ownerId, settings = {} } = request;
      const taken = (): S3Error => new S3Error('BucketAlreadyExists', { extra: { BucketName: name } });
      if (isAlias(name)) throw taken();
      if (!isPart(name)) return registry.create(request, call);
      if (Object.keys(settings).length > 0) throw taken();
      const bucket = await registry.get(name, call);
      if (bucket.ownerId !== ownerId) throw taken();
      return false;
    },
  };
}
