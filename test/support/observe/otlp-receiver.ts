import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect } from 'vitest';
import { type Fields, readFields, text } from './protobuf.ts';

/** A span as it came off the wire. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: none. */
  readonly parentSpanId: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 0 unset, 1 ok, 2 error. */
  readonly status: number;
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface OtlpReceiver {
  /** Value of `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly endpoint: string;
  readonly spans: readonly ReceivedSpan[];
  /** Everything that came, as text: for searches. */
  readonly raw: readonly string[];
  /** Headers of the last export. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The spans of one trace, once there are so many. */
  trace(traceId: string, count: number): Promise<readonly ReceivedSpan[]>;
  close(): Promise<void>;
}

export type OtlpProtocol = 'http/json' | 'http/protobuf' | 'grpc';

/**
 * A collector that understands one of the protocols of OTLP and keeps what it gets.
 * https://opentelemetry.io/docs/specs/otlp/
 */
export async function startOtlpReceiver(protocol: OtlpProtocol): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const raw: string[] = [];
  let headers: OtlpReceiver['headers'] = {};
  const take = (body: Buffer, own: OtlpReceiver['headers']): void => {
    headers = own;
    raw.push(body.toString('latin1'));
    spans.push(...(protocol === 'http/json' ? fromJson(body) : fromProtobuf(body)));
  };
  const server = protocol === 'grpc' ? grpcServer(take) : httpServer(take);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const ofTrace = (traceId: string): ReceivedSpan[] => spans.filter((span) => span.traceId === traceId);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    raw,
    get headers() {
      return headers;
    },
    async trace(traceId, count) {
      await expect.poll(() => ofTrace(traceId).length, { timeout: 30_000 }).toBeGreaterThanOrEqual(count);
      return ofTrace(traceId);
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}

type Take = (body: Buffer, headers: OtlpReceiver['headers']) => void;

function httpServer(take: Take): ReturnType<typeof createHttpServer> {
  return createHttpServer((request: IncomingMessage, response) => {
    void buffer(request).then((body) => {
      const known = request.method === 'POST' && request.url === '/v1/traces';
      if (known) take(body, request.headers);
      response.writeHead(known ? 200 : 404, { 'content-type': request.headers['content-type'] ?? '' });
      response.end(known && request.headers['content-type'] === 'application/json' ? '{}' : '');
    });
  });
}

/** A unary call is a message behind five bytes: not compressed, length. */
function grpcServer(take: Take): ReturnType<typeof createHttp2Server> {
  return createHttp2Server().on('stream', (stream: ServerHttp2Stream, headers) => {
    const known = headers[':path'] === '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
    void buffer(stream).then((body) => {
      if (known) take(body.subarray(5), headers);
      stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': known ? '0' : '12' }));
      stream.end(Buffer.alloc(5));
    });
  });
}

interface JsonValue {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
}

type JsonAttributes = readonly { readonly key: string; readonly value: JsonValue }[];

interface JsonSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: JsonAttributes;
  readonly status: { readonly code?: number };
}

interface JsonResourceSpans {
  readonly resource: { readonly attributes: JsonAttributes };
  readonly scopeSpans: readonly { readonly spans: readonly JsonSpan[] }[];
}

function fromJson(body: Buffer): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body.toString('utf8')) as {
    readonly resourceSpans: readonly JsonResourceSpans[];
  };
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        parentSpanId: span.parentSpanId ?? '',
        attributes: jsonAttributes(span.attributes),
        status: span.status.code ?? 0,
        resource: jsonAttributes(resource.attributes),
      })),
    ),
  );
}

function jsonAttributes(attributes: JsonAttributes): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ??
        (value.intValue === undefined ? (value.doubleValue ?? value.boolValue) : Number(value.intValue)),
    ]),
  );
}

/** Numbers of fields: opentelemetry/proto/trace/v1/trace.proto */
function fromProtobuf(body: Buffer): ReceivedSpan[] {
  return readFields(body)
    .messages(1)
    .flatMap((resourceSpans) => {
      const resource = protobufAttributes(resourceSpans.messages(1)[0]?.messages(1) ?? []);
      return resourceSpans.messages(2).flatMap((scopeSpans) =>
        scopeSpans.messages(2).map((span) => ({
          traceId: span.bytes(1).toString('hex'),
          spanId: span.bytes(2).toString('hex'),
          parentSpanId: span.bytes(4).toString('hex'),
          name: text(span.bytes(5)),
          kind: span.number(6),
          attributes: protobufAttributes(span.messages(9)),
          status: span.messages(15)[0]?.number(3) ?? 0,
          resource,
        })),
      );
    });
}

function protobufAttributes(pairs: readonly Fields[]): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const value = pair.messages(2)[0];
      const read =
        value === undefined
          ? undefined
          : value.has(1)
            ? text(value.bytes(1))
            : value.has(2)
              ? value.number(2) === 1
              : value.number(3);
      return [text(pair.bytes(1)), read];
    }),
  );
}
