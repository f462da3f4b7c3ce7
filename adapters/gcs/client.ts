import type { Background } from './background.ts';
import type { BatchSupport } from '../shared/batch/batch-support.ts';
import type { RestClient } from '../shared/rest-client.ts';
import type { Credentials } from './credentials.ts';
import type { BucketNames } from './names.ts';
import type { GcsLimits } from './options.ts';
import type { GcsRequest } from './request.ts';

interface BucketOptions {
  readonly location?: string;
  readonly storageClass?: string;
}

/** What the calls of one project share. */
export interface GcsClient {
  readonly rest: RestClient<GcsRequest>;
  readonly batches: BatchSupport;
  readonly names: BucketNames;
  /** Settings for new buckets. */
  readonly buckets: BucketOptions;
  readonly limits: GcsLimits;
  readonly pinsSources: boolean;
  readonly credentials: Credentials;
  readonly background: Background;
  /** Number of the project in which buckets are made, once a bucket of it has been seen. */
  projectNumber: string | undefined;
}
