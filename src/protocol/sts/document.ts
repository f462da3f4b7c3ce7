import type { StsError } from '../../errors/sts-error.ts';
import { escapeXml } from '../xml/encode.ts';

const NAMESPACE = 'https://sts.amazonaws.com/doc/2011-06-15/';
const MAX_ECHO = 4096;

/** Elements in the order in which they are written; undefined ones are left out. */
export interface StsResult {
  readonly [element: string]: string | number | undefined | StsResult;
}

/** The answer to a call of an action. */
export function answerDocument(action: string, result: StsResult, requestId: string): string {
  return (
    `<${action}Response xmlns="${NAMESPACE}">\n  <${action}Result>\n${elements(result, '    ')}  </${action}Result>\n` +
    `  <ResponseMetadata>\n    <RequestId>${requestId}</RequestId>\n  </ResponseMetadata>\n</${action}Response>\n`
  );
}

/** `Sender`: the client's fault. */
export function errorAnswer(error: StsError, requestId: string): string {
  const type = error.status < 500 ? 'Sender' : 'Receiver';
  const message = escapeXml(error.message.slice(0, MAX_ECHO).toWellFormed());
  return (
    `<ErrorResponse xmlns="${NAMESPACE}">\n  <Error>\n    <Type>${type}</Type>\n    <Code>${error.code}</Code>\n    <Message>${message}</Message>\n  </Error>\n` +
    `  <RequestId>${requestId}</RequestId>\n</ErrorResponse>\n`
  );
}

function elements(result: StsResult, indent: string): string {
  let text = '';
  for (const [name, value] of Object.entries(result)) {
    if (value === undefined) continue;
    if (typeof value === 'object') text += `${indent}<${name}>\n${elements(value, `${indent}  `)}${indent}</${name}>\n`;
    else text += `${indent}<${name}>${escapeXml(String(value))}</${name}>\n`;
  }
  return text;
}
