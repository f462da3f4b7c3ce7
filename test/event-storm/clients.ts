import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectTaggingCommand,
  DeleteObjectsCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  type S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { Random } from '../support/random.ts';
import type { AskedChange } from './judge.ts';

/** Keys that one client alone changes, one change after the other; and keys that all change. */
const OWN_KEYS = 6;
const SHARED_KEYS = 4;
const SHARED = 0.3;

interface Answer {
  readonly $metadata: { readonly requestId?: string };
}

interface Change {
  readonly what: string;
  readonly key: string;
  readonly send: (client: S3Client) => Promise<Answer>;
  /** S3 has an event for it, if it is answered. */
  readonly isTold: boolean;
  /** What is there then, as far as this client knows. */
  readonly leaves?: 'object' | 'nothing';
  readonly learn?: (answer: Answer) => void;
}

/** What a client knows of a key: undefined for one that others change, or after a request without an answer. */
type Known = 'object' | 'nothing' | undefined;

interface ClientOptions {
  readonly name: string;
  /** One for each replica. */
  readonly clients: readonly S3Client[];
  /** The first one never had versions. */
  readonly buckets: readonly [string, string];
  readonly random: Random;
}

/** A client that changes objects of all buckets in all ways, each request over any replica. */
export class StormClient {
  readonly asked: AskedChange[] = [];
  readonly #options: ClientOptions;
  readonly #known = new Map<string, Known>();
  readonly #versions = new Map<string, string[]>();

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  async change(): Promise<void> {
    const { buckets, random, clients } = this.#options;
    const isVersioned = random.oneIn(2);
    const bucket = buckets[isVersioned ? 1 : 0];
    const isShared = random.chance(SHARED);
    const key = isShared ? `shared ${random.below(SHARED_KEYS)}` : `${this.#options.name}/ö ${random.below(OWN_KEYS)}`;
    const place = `${bucket}/${key}`;
    const change = random.pick(this.#changes({ bucket, key, isShared, isVersioned }));
    const began = performance.now();
    const end = await outcomeOf(change, random.pick(clients));
    this.asked.push({ bucket, key, what: change.what, began, ended: performance.now(), ...end });
    if (end.outcome === 'perhaps') this.#known.set(place, undefined);
    else if (end.outcome !== 'refused' && !isShared) this.#known.set(place, change.leaves ?? this.#known.get(place));
  }

  #changes({ bucket, key, isShared, isVersioned }: Place): readonly Change[] {
    const { random } = this.#options;
    const place = `${bucket}/${key}`;
    const known = isShared ? undefined : this.#known.get(place);
    const object = { Bucket: bucket, Key: key };
    const learn = (answer: Answer): void => {
      const { VersionId } = answer as { VersionId?: string };
      if (VersionId === undefined || isShared) return;
      this.#versions.set(place, [...(this.#versions.get(place) ?? []), VersionId]);
    };
    const made = { key, isTold: true, leaves: 'object', learn } as const;
    const Body = `${this.#options.name} ${this.asked.length}`;
    const put: Change = {
      ...made,
      what: 'put',
      send: (client) => client.send(new PutObjectCommand({ ...object, Body })),
    };
    const upload: Change = { ...made, what: 'complete', send: (client) => inParts(client, object, Body) };
    const isRemoved = isVersioned || known === 'object';
    const remove: Change = {
      ...{ what: 'delete', key, isTold: isRemoved, leaves: 'nothing' },
      send: (client) => client.send(new DeleteObjectCommand(object)),
    };
    const removeMany: Change = {
      ...remove,
      what: 'deleteObjects',
      send: (client) => client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: [{ Key: key }] } })),
    };
    const changes = [put, put, upload, remove, removeMany];
    if (known !== 'object') return changes;
    const CopySource = encodeURIComponent(place);
    const TagSet = [{ Key: 'by', Value: Body }];
    const described = { key, isTold: true };
    const versions = this.#versions.get(place) ?? [];
    const old = versions.length > 1 ? versions.splice(random.below(versions.length - 1), 1)[0] : undefined;
    return [
      ...changes,
      {
        ...made,
        what: 'copy',
        send: (client) => client.send(new CopyObjectCommand({ ...object, CopySource, MetadataDirective: 'REPLACE' })),
      },
      {
        ...described,
        what: 'tag',
        send: (client) => client.send(new PutObjectTaggingCommand({ ...object, Tagging: { TagSet } })),
      },
      {
        ...described,
        what: 'untag',
        isTold: false,
        send: (client) => client.send(new DeleteObjectTaggingCommand(object)),
      },
      ...(old === undefined
        ? []
        : [
            {
              ...described,
              what: 'deleteVersion',
              send: (client: S3Client) => client.send(new DeleteObjectCommand({ ...object, VersionId: old })),
            },
          ]),
    ];
  }
}

interface Place {
  readonly bucket: string;
  readonly key: string;
  readonly isShared: boolean;
  readonly isVersioned: boolean;
}

async function outcomeOf(change: Change, client: S3Client): Promise<Pick<AskedChange, 'requestId' | 'outcome'>> {
  try {
    const answer = await change.send(client);
    const { requestId } = answer.$metadata;
    change.learn?.(answer);
    // A batch tells of each key what became of it.
    const failed = 'Errors' in answer && Array.isArray(answer.Errors) && answer.Errors.length > 0;
    return { requestId, outcome: failed ? 'perhaps' : change.isTold ? 'told' : 'untold' };
  } catch (error) {
    if (!(error instanceof S3ServiceException)) return { requestId: undefined, outcome: 'perhaps' };
    const { requestId, httpStatusCode: status = 500 } = error.$metadata;
    return { requestId, outcome: status >= 400 && status < 500 ? 'refused' : 'perhaps' };
  }
}

/** An upload of one part. */
async function inParts(client: S3Client, object: { Bucket: string; Key: string }, Body: string): Promise<Answer> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(object));
  const { ETag } = await client.send(new UploadPartCommand({ ...object, UploadId, PartNumber: 1, Body }));
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
  return client.send(new CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload }));
}
