import { Readable } from 'node:stream';
import { createAccountDirectory } from '../../../../src/access/directory.ts';
import type { Principal } from '../../../../src/access/accounts.ts';
import type { PayloadMode } from '../../../../src/auth/payload-mode.ts';
import { isS3Error } from '../../../../src/errors/s3-error.ts';
import { createListing } from '../../../../src/manifest/listing/listing.ts';
import { toS3Error } from '../../../../src/operations/failure.ts';
import { OPERATIONS } from '../../../../src/operations/index.ts';
import type { OperationSettings, RequestContext } from '../../../../src/operations/operation.ts';
import { perform } from '../../../../src/operations/perform.ts';
import { HoldBudget } from '../../../../src/protocol/body/hold-budget.ts';
import { HttpRequestBody } from '../../../../src/protocol/body/request-body.ts';
import { RawHeaders } from '../../../../src/protocol/headers/header-reader.ts';
import { readQuery } from '../../../../src/protocol/headers/query-reader.ts';
import { type OperationName, operationRow } from '../../../../src/protocol/operation-table.ts';
import { isByteSource } from '../../../../src/protocol/response.ts';
import { encodeXml } from '../../../../src/protocol/xml/encode.ts';
import { askedOf } from '../../../support/access/asked.ts';
import { testCall } from '../../../support/test-call.ts';
import { type FixtureOptions, OWNER, UploadFixture } from '../../manifest/upload-fixture.ts';

const ACCOUNT = {
  name: 'main',
  canonicalId: OWNER,
  displayName: 'Main & Co',
  email: 'main@example.com',
  accountNumber: '123456789012',
  keys: [{ accessKeyId: 'AK', secretAccessKey: 'not-used-here' }],
  users: [],
};

export interface Sent {
  readonly key?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly payload?: PayloadMode;
  /** A user of the account, instead of itself. */
  readonly user?: { readonly name: string; readonly arn: string };
  readonly anonymous?: boolean;
}

export interface Answer {
  /** Status, or the code of the error. */
  readonly status: number | string;
  readonly message?: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly xml: string;
  /** The operation said that the rest may take long. */
  readonly long: boolean;
  /** The body was asked for: `100 Continue` would have been sent. */
  readonly bodyRead: boolean;
}

/** Operations over a manifest in memory; requests without HTTP, their bodies as the gateway makes them. */
export class Gateway {
  readonly fixture: UploadFixture;
  settings: OperationSettings = {
    region: 'us-east-1',
    smallRangeCopy: true,
    holdBytes: 64,
    newBuckets: 'open',
    cors: [],
  };

  private constructor(fixture: UploadFixture) {
    this.fixture = fixture;
  }

  static async open(options: FixtureOptions = {}): Promise<Gateway> {
    return new Gateway(await UploadFixture.open(options));
  }

  async send(name: OperationName, sent: Sent): Promise<Answer> {
    const body = Buffer.from(sent.body ?? '');
    const headers = new RawHeaders(
      Object.entries({ 'content-length': String(body.byteLength), ...sent.headers }).flat(),
    );
    const seen = { long: false, bodyRead: false };
    const request = {
      method: operationRow(name).method,
      address: { bucket: 'bucket', ...(sent.key !== undefined && { key: sent.key }), virtualHost: false },
      query: readQuery(sent.query ?? ''),
      headers,
      body: new HttpRequestBody({
        source: Readable.from(body.byteLength === 0 ? [] : [body]),
        headers,
        payload: sent.payload ?? { kind: 'unsigned' },
        onFirstRead: () => (seen.bodyRead = true),
        signal: new AbortController().signal,
        holdBudget: new HoldBudget(1_000_000),
      }),
      scheme: 'http',
      host: 'localhost:8080',
      authMethod: 'header' as const,
    };
    try {
      const operation = OPERATIONS[name];
      if (operation === undefined) throw new Error(`${name} is not built`);
      const response = await perform(operation, request, {
        ...this.#context(name, sent),
        asked: askedOf(request, name),
        mayTakeLong: () => (seen.long = true),
      });
      const xml = response.body === undefined || isByteSource(response.body) ? '' : encodeXml(response.body).toString();
      return { status: response.status, headers: response.headers ?? {}, xml, ...seen };
    } catch (error) {
      const failure = toS3Error(error);
      if (failure.code === 'InternalError' && !isS3Error(error)) throw error;
      return { status: failure.code, message: failure.message, headers: {}, xml: '', ...seen };
    }
  }

  #context(name: OperationName, { user, anonymous }: Sent): Omit<RequestContext, 'mayTakeLong' | 'asked'> {
    const accounts = createAccountDirectory([ACCOUNT]);
    const account = accounts.byCanonicalId(OWNER);
    if (account === undefined) throw new Error('the account is missing');
    const principal: Principal =
      anonymous === true
        ? { kind: 'anonymous' }
        : { kind: 'account', account, accessKeyId: 'AK', ...(user && { user: { ...user, permissions: 'account' } }) };
    const { objects, uploads, buckets } = this.fixture;
    return {
      call: testCall(),
      hostId: 'HOST',
      operation: operationRow(name),
      principal,
      accounts,
      manifest: { buckets, objects, listing: createListing(), uploads },
      settings: this.settings,
      authenticateForm: () => principal,
      alsoOnBucket: () => undefined,
      logAccess: () => undefined,
    };
  }

  async create(key: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const answer = await this.send('CreateMultipartUpload', { key, query: 'uploads', headers });
    if (answer.status !== 200) throw new Error(`create: ${answer.status} ${answer.message ?? ''}`);
    return element(answer.xml, 'UploadId') ?? '';
  }

  /** @returns the ETag, quoted */
  async part(
    key: string,
    uploadId: string,
    number: number,
    sent: string | Pick<Sent, 'body' | 'headers'>,
  ): Promise<string> {
    const query = `partNumber=${number}&uploadId=${uploadId}`;
    const answer = await this.send('UploadPart', { key, query, ...(typeof sent === 'string' ? { body: sent } : sent) });
    if (answer.status !== 200) throw new Error(`part: ${answer.status} ${answer.message ?? ''}`);
    return answer.headers['etag'] ?? '';
  }

  complete(
    key: string,
    uploadId: string,
    etags: readonly string[],
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const parts = etags.map(
      (etag, index) =>
        `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag.replaceAll('"', '&quot;')}</ETag></Part>`,
    );
    const body = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`;
    return this.send('CompleteMultipartUpload', { key, query: `uploadId=${uploadId}`, body, headers });
  }
}

/** Text of the first element of this name. */
export function element(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
}

/** Texts of all elements of this name. */
export function elements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map((match) => match[1] ?? '');
}
