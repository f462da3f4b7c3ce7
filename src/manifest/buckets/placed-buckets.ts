import { S3Error } from '../../errors/s3-error.ts';
import type { BucketRegistry } from './buckets.ts';
import type { Realm } from './realm.ts';

/**
 * Buckets that are parts of containers. They are like all others, except that only the configuration makes and removes
 * them. Clients cannot, because the rest of the container does not belong to the bucket.
 */
export function withPlaces(registry: BucketRegistry, realm: Realm): BucketRegistry {
  const isPlaced = (name: string): boolean => realm.backendOf(name).places?.has(name) === true;
  return {
    ...registry,
    async getToDelete(name, call) {
      if (!isPlaced(name)) return registry.getToDelete(name, call);
      await registry.get(name, call);
      throw new S3Error('AccessDenied', {
        message: `${name} is part of a container, and deleted by its operator only.`,
      });
    },
    async create(request, call) {
      const { name, ownerId, settings = {} } = request;
      if (!isPlaced(name)) return registry.create(request, call);
      const taken = new S3Error('BucketAlreadyExists', { extra: { BucketName: name } });
      if (Object.keys(settings).length > 0) throw taken;
      const bucket = await registry.get(name, call);
      if (bucket.ownerId !== ownerId) throw taken;
      return false;
    },
  };
}
