import { expect } from 'vitest';
import { type Caller, contentMd5, outcome, send } from '../../support/clients/acl-client.ts';
import { type TestGateway, type TestGatewayOptions, startGatewayOver } from '../../support/gateway/gateway.ts';
import type { RawAnswer } from '../../support/clients/raw-http.ts';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import type { BlobStore } from '../../../src/store/blob-store.ts';

export type Headers = Readonly<Record<string, string>>;

export interface Asked {
  readonly headers?: Headers;
  readonly body?: string;
  readonly as?: Caller;
}

export interface Answer extends RawAnswer {
  /** `200`, `404 NoSuchKey`; of an error in a 200 that came late `200 SlowDown`. */
  readonly outcome: string;
}

let made = 0;

/** A gateway over memory and the few requests that most tests begin with; those must succeed. */
export class World {
  readonly gateway: TestGateway<BlobStore>;

  private constructor(gateway: TestGateway<BlobStore>) {
    this.gateway = gateway;
  }

  static async open(options: TestGatewayOptions = {}, store: BlobStore = new MemoryBlobStore()): Promise<World> {
    return new World(await startGatewayOver(store, options));
  }

  close(): Promise<void> {
    return this.gateway.close();
  }

  async ask(method: string, target: string, { headers, body, as = 'owner' }: Asked = {}): Promise<Answer> {
    const answer = await send(this.gateway.port, as, {
      method,
      target,
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
    });
    return { ...answer, outcome: outcome(answer) };
  }

  /** As `ask`, when only status and error code matter. */
  async outcome(method: string, target: string, asked: Asked = {}): Promise<string> {
    return (await this.ask(method, target, asked)).outcome;
  }

  /** As `ask`, for what a test stands on. */
  async must(method: string, target: string, asked: Asked = {}): Promise<Answer> {
    const answer = await this.ask(method, target, asked);
    expect(answer.outcome, `${method} ${target} ${answer.body}`).toMatch(/^20[0-6]$/);
    return answer;
  }

  /** A new bucket. @returns its name */
  async bucket(headers: Headers = {}, as: Caller = 'owner'): Promise<string> {
    const name = `spec-${++made}`;
    await this.must('PUT', `/${name}`, { headers, as });
    return name;
  }

  async put(target: string, body = 'bytes', headers: Headers = {}): Promise<Answer> {
    return this.must('PUT', target, { body, headers });
  }

  copy(target: string, source: string, headers: Headers = {}, as: Caller = 'owner'): Promise<Answer> {
    return this.ask('PUT', target, { headers: { 'x-amz-copy-source': source, ...headers }, as });
  }

  /** Gives the bucket one lifecycle rule. @param action its elements */
  async lifecycle(bucket: string, action: string): Promise<void> {
    const rule = `<Rule><ID>a rule</ID><Filter/><Status>Enabled</Status>${action}</Rule>`;
    const body = `<LifecycleConfiguration>${rule}</LifecycleConfiguration>`;
    await this.must('PUT', `/${bucket}?lifecycle`, { body, headers: { 'content-md5': contentMd5(body) } });
  }

  /** A new upload. @returns its target with query: `/bucket/key?uploadId=...` */
  async upload(target: string, headers: Headers = {}, as: Caller = 'owner'): Promise<string> {
    const { body } = await this.must('POST', `${target}?uploads`, { headers, as });
    return `${target}?uploadId=${element(body, 'UploadId')}`;
  }

  copyPart(upload: string, source: string, headers: Headers = {}, number: number | string = 1): Promise<Answer> {
    return this.ask('PUT', `${upload}&partNumber=${number}`, { headers: { 'x-amz-copy-source': source, ...headers } });
  }

  /** Completes an upload of the parts with these ETags, from 1 on. */
  complete(upload: string, etags: readonly string[]): Promise<Answer> {
    const parts = etags.map((etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`);
    return this.ask('POST', upload, { body: `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>` });
  }

  /** Tags of an object: `k=v`, in the order of the answer. */
  async tags(target: string): Promise<string[]> {
    const { body } = await this.must('GET', `${target}?tagging`);
    return [...body.matchAll(/<Key>([^<]*)<\/Key><Value>([^<]*)</g)].map(
      ([, key = '', value = '']) => `${key}=${value}`,
    );
  }

  /** @returns status and code */
  putTags(target: string, tags: readonly (readonly [string, string])[]): Promise<string> {
    const list = tags.map(([key, value]) => `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`).join('');
    const body = `<Tagging><TagSet>${list}</TagSet></Tagging>`;
    return this.outcome('PUT', `${target}?tagging`, { body, headers: { 'content-md5': contentMd5(body) } });
  }

  /** How many grants to each: `READ AllUsers`, `FULL_CONTROL <id>`. */
  async grants(target: string, as: Caller = 'owner'): Promise<string[]> {
    const { body } = await this.must('GET', `${target}?acl`, { as });
    return [...body.matchAll(/<Grant>.*?<\/Grant>/g)].map(([grant]) => {
      const who = /<(?:ID|URI)>(?:[^<]*\/)?([^<]*)</.exec(grant)?.[1] ?? '';
      return `${element(grant, 'Permission')} ${who}`;
    });
  }
}

/** Text of the first element of this name; empty when there is none. */
export function element(xml: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '';
}

/** Names of the children of the root, in order. */
export function children(xml: string): string[] {
  const inner = /^<\?xml[^>]*>\n\s*<\w+[^>]*>(.*)<\/\w+>$/s.exec(xml)?.[1] ?? '';
  return [...inner.matchAll(/<(\w+)(?:>.*?<\/\1>|\/>)/gs)].map(([, name = '']) => name);
}
