import type { StsError } from '../../errors/sts-error.ts';
import { type XmlElements, encodeElements } from '../xml/encode.ts';

const NAMESPACE = 'https://sts.amazonaws.com/doc/2011-06-15/';
const MAX_ECHO = 4096;

/** The answer to a call of an action. */
export function answerDocument(action: string, result: XmlElements, requestId: string): string {
  return documentOf(`${action}Response`, {
    [`${action}Result`]: result,
    ResponseMetadata: { RequestId: requestId },
  });
}

/** `Sender`: the client's fault. */
export function errorAnswer(error: StsError, requestId: string): string {
  const Type = error.status < 500 ? 'Sender' : 'Receiver';
  const Message = error.message.slice(0, MAX_ECHO).toWellFormed();
  return documentOf('ErrorResponse', { Error: { Type, Code: error.code, Message }, RequestId: requestId });
}

function documentOf(root: string, elements: XmlElements): string {
  return `<${root} xmlns="${NAMESPACE}">\n${encodeElements(elements, '  ')}</${root}>\n`;
}
