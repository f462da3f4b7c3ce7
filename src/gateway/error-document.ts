import type { S3Error } from '../errors/s3-error.ts';
import { XML_PROLOG, encodeElements } from '../protocol/xml/encode.ts';

/** Ids that stand in the headers of every answer and in the body of every error. */
export interface AnswerIds {
  /** 16 characters `[0-9A-Z]`. */
  readonly requestId: string;
  /** `x-amz-id-2`. */
  readonly hostId: string;
}

/**
 * Most characters of an element that echoes what the client sent, before it is escaped. Dumps of bytes may have three
 * times as many.
 */
const MAX_ECHO = 4096;

/**
 * The element `<Error>` without namespace and prolog. It ends exactly at its end tag, because SDKs look at the last
 * bytes. The order of its children is that of AWS: code, message, the extra elements of the code, resource, ids.
 *
 * What a client sent is echoed in part only, so that the answer is never many times as long as the request.
 * @param resource raw path of the request, as sent
 */
export function errorElement(error: S3Error, resource: string, { requestId, hostId }: AnswerIds): string {
  const extra: Record<string, string> = {};
  for (const [name, value] of Object.entries(error.extra)) {
    extra[name] = echoed(String(value), name.endsWith('Bytes') ? 3 * MAX_ECHO : MAX_ECHO);
  }
  const elements = encodeElements({
    Code: error.code,
    Message: echoed(error.message),
    ...extra,
    Resource: echoed(resource),
    RequestId: requestId,
    HostId: hostId,
  });
  // Nothing but markup is escaped here, as on AWS: people and programs look for conditions of policies in the text.
  return `<Error>${elements.replaceAll('&quot;', '"')}</Error>`;
}

function echoed(text: string, limit = MAX_ECHO): string {
  return text.length <= limit ? text : text.slice(0, limit).toWellFormed();
}

/** The whole body of an error answer. */
export function errorDocument(error: S3Error, resource: string, ids: AnswerIds): string {
  return XML_PROLOG + errorElement(error, resource, ids);
}

/** The whole body of an error answer of S3 Control: the error is inside another element, and the ids follow it. */
export function controlErrorDocument(error: S3Error, resource: string, ids: AnswerIds): string {
  const after = encodeElements({ RequestId: ids.requestId, HostId: ids.hostId });
  return `${XML_PROLOG}<ErrorResponse>${errorElement(error, resource, ids)}${after}</ErrorResponse>`;
}
