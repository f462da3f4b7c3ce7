import { describe, expect, test } from 'vitest';
import { azureApi } from '../../../adapters/azure/api.ts';
import { gcsApi } from '../../../adapters/gcs/api.ts';
import type { GcsRequest } from '../../../adapters/gcs/request.ts';
import type { WireBody, WireHeaders, WireResponse } from '../../../adapters/shared/wire/transport.ts';
import { AZURE_REFUSALS } from './azure-refusals.ts';
import { GCS_REFUSALS } from './gcs-refusals.ts';

function answer(status: number, headers: WireHeaders, document: string): WireResponse {
  const body = { size: document.length, bytes: () => Promise.resolve(Buffer.from(document)), discard: () => undefined };
  return { status, headers, body: body as unknown as WireBody };
}

const NO_CREDENTIAL = { query: '', header: () => undefined };

describe('refusals that Azure was recorded to give', () => {
  test.each(AZURE_REFUSALS)('$status $code in $in, copies $copies, $sourceStatus $sourceCode: $kind', async (row) => {
    const { status, code = '', sourceStatus, sourceCode } = row;
    const headers = {
      ...(row.in === 'header' && { 'x-ms-error-code': code }),
      ...(sourceStatus !== undefined && { 'x-ms-copy-source-status-code': String(sourceStatus) }),
      ...(sourceCode !== undefined && { 'x-ms-copy-source-error-code': sourceCode }),
    };
    // Every document of the service begins with a byte order mark.
    const document = `\ufeff<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>m</Message></Error>`;
    const request = {
      call: 'c',
      method: 'PUT',
      path: '/',
      effect: 'change',
      ...(row.copies && { copies: true }),
    } as const;
    const response = answer(status, headers, row.in === 'none' ? '' : document);
    const error = await azureApi(NO_CREDENTIAL).refusal(request, response, 1000);
    expect([error.kind, error.detail.code]).toEqual([row.kind, row.code]);
  });
});

describe('refusals that Cloud Storage was recorded to give', () => {
  test.each(GCS_REFUSALS)('$status $code in $in, $words: $kind', async (row) => {
    const { status, code, words: message = '', missing, conflict } = row;
    const documents = {
      json: JSON.stringify({ error: { code: status, message, errors: [{ message, domain: 'global', reason: code }] } }),
      xml: `<?xml version='1.0' encoding='UTF-8'?><Error><Code>${code ?? ''}</Code><Message>${message}</Message></Error>`,
      text: message,
    };
    const request: GcsRequest = {
      ...{ call: 'c', method: 'PUT', path: '/', effect: 'change', missing },
      ...(conflict !== undefined && { conflict }),
    };
    const parts = [undefined, undefined] as unknown as Parameters<typeof gcsApi>;
    const error = await gcsApi(...parts).refusal(request, answer(status, {}, documents[row.in]), 1000);
    expect(error.kind).toBe(row.kind);
  });
});
