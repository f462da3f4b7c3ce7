import type { Call } from '../../observe/call.ts';
import type { RawQuery } from '../inspector/queries.ts';
import type { AnswerName } from './answer-schemas.ts';

/** All paths are below it. */
export const BASE_PATH = '/api/admin/v1';

/** Bodies that callers send. */
type BodyName = 'UserSettings' | 'NewKey' | 'BroughtKey' | 'Policy' | 'NewBucket' | 'Quota';

/** Names that callers choose. */
type ChosenName = 'user' | 'policy' | 'accessKeyId' | 'bucket';

/** What reads something that callers send. */
export interface RequestReader {
  readonly schema: object;
  /** @throws ManagementError ValidationError */
  parse(sent: unknown): unknown;
}

export interface RequestReaders {
  readonly bodies: Readonly<Record<BodyName, RequestReader>>;
  readonly names: Readonly<Record<ChosenName, RequestReader>>;
}

export interface AdminEndpoint {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Below `BASE_PATH`. */
  readonly path: string;
  readonly summary: string;
  /** What is sent; absent: nothing. */
  readonly body?: BodyName;
  /** The body may be left out. */
  readonly bodyIsOptional?: true;
  /** What is answered, by status; `none`: no body. */
  readonly answers: Readonly<Partial<Record<200 | 201 | 204, AnswerName | 'none'>>>;
  /** JSON Schema of each parameter of the query. */
  readonly query?: Readonly<Record<string, object>>;
}

const PAGE = {
  prefix: { type: 'string', description: 'Names that begin so.' },
  after: { type: 'string', description: 'Names after this one.' },
  limit: { type: 'integer', minimum: 0, maximum: 1000, default: 200, description: 'How many at most.' },
} as const;

const USER = '/accounts/{account}/users/{user}';
const POLICY = '/accounts/{account}/policies/{policy}';

/** Every path of the API. Routes, the OpenAPI document and the page of the documentation are made from this table. */
export const ENDPOINTS = {
  listAccounts: { method: 'GET', path: '/accounts', summary: 'Accounts', answers: { 200: 'AccountList' } },
  getAccount: { method: 'GET', path: '/accounts/{account}', summary: 'An account', answers: { 200: 'Account' } },
  listUsers: {
    method: 'GET',
    path: '/accounts/{account}/users',
    summary: 'Users of an account',
    answers: { 200: 'UserList' },
  },
  getUser: { method: 'GET', path: USER, summary: 'A user', answers: { 200: 'User' } },
  putUser: {
    method: 'PUT',
    path: USER,
    summary: 'Makes a user, or replaces its settings; keys stay',
    body: 'UserSettings',
    answers: { 200: 'User', 201: 'User' },
  },
  deleteUser: { method: 'DELETE', path: USER, summary: 'Removes a user with its keys', answers: { 204: 'none' } },
  listKeys: { method: 'GET', path: `${USER}/keys`, summary: 'Keys of a user', answers: { 200: 'KeyList' } },
  createKey: {
    method: 'POST',
    path: `${USER}/keys`,
    summary: 'Makes a pair of keys; the secret is told this once',
    body: 'NewKey',
    bodyIsOptional: true,
    answers: { 201: 'CreatedKey' },
  },
  putKey: {
    method: 'PUT',
    path: `${USER}/keys/{accessKeyId}`,
    summary: 'Takes a pair that the caller brings',
    body: 'BroughtKey',
    answers: { 200: 'Key', 201: 'Key' },
  },
  deleteKey: {
    method: 'DELETE',
    path: `${USER}/keys/{accessKeyId}`,
    summary: 'Removes a key',
    answers: { 204: 'none' },
  },
  listPolicies: {
    method: 'GET',
    path: '/accounts/{account}/policies',
    summary: 'Policies of an account',
    answers: { 200: 'PolicyList' },
  },
  getPolicy: { method: 'GET', path: POLICY, summary: 'A policy', answers: { 200: 'Policy' } },
  putPolicy: {
    method: 'PUT',
    path: POLICY,
    summary: 'Makes or replaces a policy',
    body: 'Policy',
    answers: { 200: 'Policy', 201: 'Policy' },
  },
  deletePolicy: {
    method: 'DELETE',
    path: POLICY,
    summary: 'Removes a policy that no user has',
    answers: { 204: 'none' },
  },
  listBuckets: {
    method: 'GET',
    path: '/buckets',
    summary: 'Buckets of all accounts, by name',
    query: PAGE,
    answers: { 200: 'BucketList' },
  },
  getBucket: { method: 'GET', path: '/buckets/{bucket}', summary: 'A bucket', answers: { 200: 'Bucket' } },
  putBucket: {
    method: 'PUT',
    path: '/buckets/{bucket}',
    summary: 'Makes a bucket; one of the same owner may be there already',
    body: 'NewBucket',
    answers: { 200: 'Bucket', 201: 'Bucket' },
  },
  deleteBucket: {
    method: 'DELETE',
    path: '/buckets/{bucket}',
    summary: 'Removes a bucket that is empty',
    answers: { 204: 'none' },
  },
  getAccountQuota: {
    method: 'GET',
    path: '/accounts/{account}/quota',
    summary: 'The quota of an account',
    answers: { 200: 'Quota' },
  },
  putAccountQuota: {
    method: 'PUT',
    path: '/accounts/{account}/quota',
    summary: 'Sets the quota of an account',
    body: 'Quota',
    answers: { 200: 'Quota' },
  },
  deleteAccountQuota: {
    method: 'DELETE',
    path: '/accounts/{account}/quota',
    summary: 'Takes the quota of an account away',
    answers: { 204: 'none' },
  },
  getBucketQuota: {
    method: 'GET',
    path: '/buckets/{bucket}/quota',
    summary: 'The quota of a bucket that the API has set',
    answers: { 200: 'Quota' },
  },
  putBucketQuota: {
    method: 'PUT',
    path: '/buckets/{bucket}/quota',
    summary: 'Sets the quota of a bucket; it decides before `quotas.buckets`',
    body: 'Quota',
    answers: { 200: 'Quota' },
  },
  deleteBucketQuota: {
    method: 'DELETE',
    path: '/buckets/{bucket}/quota',
    summary: 'Takes the quota of a bucket away',
    answers: { 204: 'none' },
  },
} as const satisfies Readonly<Record<string, AdminEndpoint>>;

export type EndpointName = keyof typeof ENDPOINTS;

/** A request whose body has the form that the table asks for. */
export interface ManagementRequest {
  /** What stands in the path, by the names of the table. */
  readonly names: Readonly<Record<string, string>>;
  /** As its schema parsed it. */
  readonly body: unknown;
  readonly query: RawQuery;
}

export interface ManagementAnswer {
  readonly status: 200 | 201 | 204;
  readonly body?: object;
  /** What was there before, and what is there now, for the record of changes: as it is shown, without secrets. */
  readonly before?: object | undefined;
  readonly after?: object | undefined;
}

type EndpointHandler = (request: ManagementRequest, call: Call) => Promise<ManagementAnswer>;

export type EndpointHandlers = Readonly<Record<EndpointName, EndpointHandler>>;
