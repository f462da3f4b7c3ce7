import { isDeepStrictEqual } from 'node:util';
import { deriveAccessKey } from './access-keys.ts';
import type { ShownQuota } from '../../admin/manage/contract.ts';
import type { BucketAdmin, UserAccess } from './bucket-admin.ts';
import { accessParameters, bucketParameters } from './class-parameters.ts';
import type {
  DriverCreateBucketRequest,
  DriverCreateBucketResponse,
  DriverGrantBucketAccessRequest,
  DriverGrantBucketAccessResponse,
  DriverRevokeBucketAccessRequest,
} from './cosi-messages.ts';
import { CosiRefusal } from './cosi-refusal.ts';
import type { CosiCalls } from './cosi-server.ts';

interface ProvisionerSettings {
  /** Of the driver, as classes have it. */
  readonly name: string;
  /** S3 endpoint and region that pods are told. */
  readonly endpoint: string;
  readonly region: string;
  /** Owner of buckets whose class names none. */
  readonly account: string | undefined;
  /** What keys are derived from. */
  readonly seed: string;
}

/** Users that the driver makes are called so. It removes no others. */
const OWN_USER = /^cosi-[a-z0-9][a-z0-9.-]{0,99}$/;

/**
 * What COSI asks of a driver, done by the gateway's admin API. All names follow from those that COSI gives, and all
 * keys from these names, so that nothing has to be remembered and every call can be repeated.
 */
export class Provisioner {
  readonly #admin: BucketAdmin;
  readonly #settings: ProvisionerSettings;

  constructor(admin: BucketAdmin, settings: ProvisionerSettings) {
    this.#admin = admin;
    this.#settings = settings;
  }

  calls(): CosiCalls {
    return {
      DriverGetInfo: () => ({ name: this.#settings.name }),
      DriverCreateBucket: (request, signal) => this.#createBucket(request, signal),
      DriverDeleteBucket: async ({ bucketId }, signal) => {
        await this.#admin.deleteBucket(given(bucketId, 'bucket_id'), signal);
        return {};
      },
      DriverGrantBucketAccess: (request, signal) => this.#grant(request, signal),
      DriverRevokeBucketAccess: async (request, signal) => {
        await this.#revoke(request, signal);
        return {};
      },
    };
  }

  /** The bucket has the name that COSI gives: pods find that name in their secret, whatever the id is. */
  async #createBucket(
    { name, parameters }: DriverCreateBucketRequest,
    signal: AbortSignal,
  ): Promise<DriverCreateBucketResponse> {
    const { account = this.#settings.account, backend, objectLock = false, ...limits } = bucketParameters(parameters);
    if (account === undefined) throw invalid('parameter account of the BucketClass: expected one');
    const bucket = given(name, 'name');
    await this.#admin.createBucket(bucket, { account, objectLock, ...(backend !== undefined && { backend }) }, signal);
    const { quotaBytes: bytes, quotaObjects: objects } = limits;
    const quota = { ...(bytes !== undefined && { bytes }), ...(objects !== undefined && { objects }) };
    if (Object.keys(quota).length > 0) await this.#limit(bucket, quota, signal);
    return { bucketId: bucket, bucketInfo: { s3: { region: this.#settings.region, signatureVersion: 'S3V4' } } };
  }

  async #limit(bucket: string, wanted: ShownQuota, signal: AbortSignal): Promise<void> {
    const present = await this.#admin.quotaOf(bucket, signal);
    if (present === undefined) return this.#admin.setQuota(bucket, wanted, signal);
    if (isDeepStrictEqual(present, wanted)) return;
    throw new CosiRefusal('ALREADY_EXISTS', `bucket ${bucket} is there with another quota`);
  }

  /**
   * Never `ALREADY_EXISTS`: the sidecar of release 0.2 would take it for success, and end by a nil pointer when it
   * reads the answer.
   */
  async #grant(
    { bucketId, name, authenticationType, parameters }: DriverGrantBucketAccessRequest,
    signal: AbortSignal,
  ): Promise<DriverGrantBucketAccessResponse> {
    if (authenticationType !== 'Key') {
      throw new CosiRefusal('UNIMPLEMENTED', 'authenticationType of the BucketAccessClass: expected Key');
    }
    const access = { buckets: [given(bucketId, 'bucket_id')], ...accessParameters(parameters) };
    const user = `cosi-${given(name, 'name')}`;
    if (!OWN_USER.test(user)) throw invalid('name: expected letters, digits, dots and dashes');
    const account = await this.#admin.ownerOf(bucketId, signal);
    if (account === undefined) throw new CosiRefusal('NOT_FOUND', `there is no bucket ${bucketId}`);
    const present = await this.#admin.accessOf(account, user, signal);
    if (present !== undefined && !sameAccess(present, access)) {
      throw new CosiRefusal('FAILED_PRECONDITION', `${user} of ${account} is there with other parameters`);
    }
    // Its key would be dead.
    if (present?.fault !== undefined) {
      throw new CosiRefusal('FAILED_PRECONDITION', `${user} of ${account} is not in force: ${present.fault}`);
    }
    if (present === undefined) await this.#admin.putUser(account, user, access, signal);
    const key = deriveAccessKey(this.#settings.seed, account, user);
    await this.#admin.putKey(account, user, key, signal);
    const { accessKeyId: accessKeyID, secretAccessKey: accessSecretKey } = key;
    const { endpoint, region } = this.#settings;
    const secrets = { endpoint, region, accessKeyID, accessSecretKey };
    return { accountId: `${account}/${user}`, credentials: { s3: { secrets } } };
  }

  /**
   * The id of the access comes from the status of a BucketAccess, which users of the cluster may be able to write. So
   * it must name a user of the driver's, and one of this very bucket.
   */
  async #revoke({ bucketId, accountId }: DriverRevokeBucketAccessRequest, signal: AbortSignal): Promise<void> {
    const slash = given(accountId, 'account_id').lastIndexOf('/');
    const [account, user] = [accountId.slice(0, Math.max(slash, 0)), accountId.slice(slash + 1)];
    const denied = new CosiRefusal('PERMISSION_DENIED', `account_id: ${accountId} is no access to ${bucketId}`);
    if (account === '' || !OWN_USER.test(user)) throw denied;
    const present = await this.#admin.accessOf(account, user, signal);
    if (present === undefined) return;
    if (!isDeepStrictEqual(present.buckets, [bucketId])) throw denied;
    await this.#admin.deleteUser(account, user, signal);
  }
}

function given(text: string, field: string): string {
  if (text === '') throw invalid(`${field}: expected a value`);
  return text;
}

function invalid(message: string): CosiRefusal {
  return new CosiRefusal('INVALID_ARGUMENT', message);
}

function sameAccess(one: UserAccess, other: UserAccess): boolean {
  const comparable = ({ buckets, prefix, readOnly = false }: UserAccess): object => ({ buckets, prefix, readOnly });
  return isDeepStrictEqual(comparable(one), comparable(other));
}
