import { createHash } from 'node:crypto';
import type { AccountDirectory } from '../access/accounts.ts';
import { judgeServiceWrite, unmetWords } from '../access/service-delivery.ts';
import { isS3Error } from '../errors/s3-error.ts';
import type { Bucket, Manifest } from '../manifest/index.ts';
import type { Call } from '../observe/call.ts';
import { requireKmsKey } from '../operations/encryption.ts';
import { putForService } from '../operations/object/put-for-service.ts';
import type { OperationSettings } from '../operations/operation.ts';
import type { Inventory } from '../protocol/inventory/inventory.ts';
import { bucketOfArn } from '../protocol/inventory/inventory.ts';
import { THE_SERVICE } from '../protocol/notifications/event-names.ts';
import { readAll } from '../streams/bytes.ts';
import { mapConcurrent } from '../streams/map-concurrent.ts';

/** What S3's own example of a destination's policy asks for. */
const SAYS = { 's3:x-amz-acl': 'bucket-owner-full-control' };

/** The destination of an inventory does not take its reports, as it is now. */
class DestinationRefused extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = 'DestinationRefused';
  }
}

export interface ReportWriterOptions {
  readonly manifest: Pick<Manifest, 'buckets' | 'objects'>;
  readonly accounts: Pick<AccountDirectory, 'byCanonicalId'>;
  readonly settings: Pick<OperationSettings, 'isReadOnly'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What is written, and how. */
export interface ReportFile {
  readonly key: string;
  readonly body: Buffer;
  readonly contentType: string;
}

/** What is known of a file that was written. */
interface StoredSums {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Hex. */
  readonly md5: string;
}

/** Files that are looked at at a time. */
const LOOKS_AT_ONCE = 16;

/**
 * Writes the files of one inventory's reports, as objects of the destination's owner. The destination is judged at each
 * of them, as it is then (docs/decisions/0050-inventory.md).
 */
export class ReportWriter {
  readonly #options: ReportWriterOptions;
  readonly #source: Bucket;
  readonly #inventory: Inventory;

  constructor(source: Bucket, inventory: Inventory, options: ReportWriterOptions) {
    this.#source = source;
    this.#inventory = inventory;
    this.#options = options;
  }

  /** @returns the destination, if a file of this key may be written there. @throws DestinationRefused */
  async requireDestination(key: string, call: Call): Promise<Bucket> {
    const { manifest, settings, now } = this.#options;
    const { bucketArn, accountId, encryption } = this.#inventory.destination;
    const target = await findBucket(bucketOfArn(bucketArn) ?? '', manifest, call);
    const targetAccount = this.#accountOf(target);
    if (accountId !== undefined && targetAccount !== accountId) {
      throw new DestinationRefused('the destination bucket belongs to another account than the configuration names');
    }
    if (settings.isReadOnly?.(target.name) === true) {
      throw new DestinationRefused('the destination bucket is read-only');
    }
    const source = { bucket: this.#source.name, account: this.#accountOf(this.#source) };
    const { effect, unmet } = judgeServiceWrite({
      service: THE_SERVICE,
      target,
      key,
      source,
      targetAccount,
      says: SAYS,
      now: now(),
    });
    if (effect !== 'allow') {
      const reason = `the policy of the destination bucket does not let ${THE_SERVICE} write`;
      throw new DestinationRefused(unmet === undefined ? reason : `${reason}: ${unmetWords(unmet)}`);
    }
    requireKey(encryption?.kind === 'kms' ? encryption.keyId : undefined, target);
    return target;
  }

  /** @throws DestinationRefused, S3Error as PutObject */
  async put(file: ReportFile, call: Call): Promise<void> {
    await this.#put(file, {}, call);
  }

  /**
   * Writes a file unless the same is there already, of another run or of one that died behind the write.
   * @throws DestinationRefused: another object is there
   */
  async putOnce(file: ReportFile, call: Call): Promise<void> {
    try {
      await this.#put(file, { ifNoneMatch: '*' }, call);
    } catch (error) {
      if (!isS3Error(error, 'PreconditionFailed')) throw error;
      if (await this.#isThere(file, call)) return;
      throw new DestinationRefused(`another object is at ${file.key}`, error);
    }
  }

  /** Whether files of a report are there as they were stored. @throws DestinationRefused */
  async areThere(files: readonly StoredSums[], call: Call): Promise<boolean> {
    const [first] = files;
    if (first === undefined) return true;
    const bucket = await this.requireDestination(first.key, call);
    const found = await mapConcurrent(files, LOOKS_AT_ONCE, async ({ key, size, md5 }) => {
      try {
        const view = await this.#options.manifest.objects.find({ bucket, key }, call);
        return view.size === size && (view.md5 ?? md5) === md5;
      } catch (error) {
        if (isS3Error(error, 'NoSuchKey')) return false;
        throw error;
      }
    });
    return found.every((isThere) => isThere);
  }

  /** The key can be guessed: an object of any size may lie there. */
  async #isThere({ key, body }: ReportFile, call: Call): Promise<boolean> {
    const bucket = await this.requireDestination(key, call);
    const { objects } = this.#options.manifest;
    const view = await objects.find({ bucket, key }, call);
    if (view.size !== body.length) return false;
    if (view.archived) return view.md5 === createHash('md5').update(body).digest('hex');
    return body.equals(await readAll(await objects.openView(bucket, view, {}, call)));
  }

  async #put({ key, body, contentType }: ReportFile, conditions: { readonly ifNoneMatch?: string }, call: Call) {
    const bucket = await this.requireDestination(key, call);
    const { encryption } = this.#inventory.destination;
    const object = { body, contentType, conditions, ...(encryption !== undefined && { encryption }) };
    const { manifest, now } = this.#options;
    try {
      await putForService({ manifest, now: now() }, { bucket, key }, object, call);
    } catch (error) {
      const isRefused = isS3Error(error, 'NoSuchBucket', 'KMS.NotFoundException', 'KeyTooLongError');
      throw isRefused ? new DestinationRefused(error.message, error) : error;
    }
  }

  #accountOf({ ownerId }: Bucket): string | undefined {
    return this.#options.accounts.byCanonicalId(ownerId)?.accountNumber;
  }
}

async function findBucket(name: string, { buckets }: Pick<Manifest, 'buckets'>, call: Call): Promise<Bucket> {
  try {
    return await buckets.get(name, call);
  } catch (error) {
    throw isS3Error(error, 'NoSuchBucket')
      ? new DestinationRefused('the destination bucket does not exist', error)
      : error;
  }
}

/** Before anything is listed for a file that could not be stored. @throws DestinationRefused */
function requireKey(keyId: string | undefined, target: Bucket): void {
  try {
    if (keyId !== undefined) requireKmsKey(keyId, target);
  } catch (error) {
    throw isS3Error(error) ? new DestinationRefused(error.message, error) : error;
  }
}
