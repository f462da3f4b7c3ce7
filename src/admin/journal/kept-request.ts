import type { AuthorizationFacts } from '../../observe/access-facts.ts';
import type { HeadFacts } from '../../observe/call-facts.ts';
import type { Digest, RequestFacts } from '../../observe/request-facts.ts';
import type { PackedReasons } from '../../observe/packed-reasons.ts';
import type { SignatureDiagnosis } from '../diagnosis/diagnosis.ts';

/** @returns undefined when the request was not refused for its signature */
export type Diagnose = (facts: RequestFacts) => SignatureDiagnosis | undefined;

/**
 * One request as the journal has it, for those who read: facts only, in a form that is JSON. Nothing of it is secret,
 * and no text in it is longer than its limit. Times are milliseconds since arrival.
 */
export interface KeptRequest {
  readonly id: string;
  readonly traceId: string;
  /** Milliseconds since the epoch. */
  readonly arrived: number;
  readonly method: string;
  readonly target: string;
  readonly httpVersion: string;
  readonly scheme: string;
  readonly client?: string | undefined;
  /** Names and values in turn, each on a line of its own: one text is written faster than thirty. */
  readonly headers: string;
  readonly headersOmitted: number;
  /** Name in the operation table. */
  readonly operation?: string | undefined;
  readonly bucket?: string | undefined;
  readonly key?: string | undefined;
  readonly versionId?: string | undefined;
  readonly uploadId?: string | undefined;
  readonly virtualHost?: true | undefined;
  readonly auth?: KeptAuth | undefined;
  readonly authorization?: KeptAuthorization | undefined;
  /** Decisions made, `authorization` being the one that counted. */
  readonly authorizations: number;
  readonly backendCalls: number;
  readonly backendRetries: number;
  readonly backend: readonly KeptCall[];
  readonly heads: readonly HeadFacts[];
  readonly body?: KeptBody | undefined;
  readonly authenticated?: number | undefined;
  readonly authorized?: number | undefined;
  readonly firstByte?: number | undefined;
  /** Absent: still running. */
  readonly ended?: number | undefined;
  readonly clientWaitMs: number;
  readonly backendWaitMs: number;
  /** 0: there was no answer. */
  readonly status: number;
  readonly failure?: KeptFailure | undefined;
  readonly clientLeft?: true | undefined;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/** With why policies decided so. */
export interface KeptAuthorization extends Omit<AuthorizationFacts, 'reasons'> {
  readonly reasons?: PackedReasons | undefined;
}

export interface KeptAuth {
  readonly method?: 'header' | 'query' | 'form' | 'anonymous' | undefined;
  readonly account?: string | undefined;
  readonly user?: string | undefined;
  readonly accessKeyId?: string | undefined;
  readonly anonymous?: true | undefined;
  readonly failure?: { readonly code: string; readonly message: string } | undefined;
  readonly report?: SignatureDiagnosis | undefined;
}

/** A call to a backend. */
export interface KeptCall {
  readonly system: string;
  readonly operation: string;
  /** Empty where there is no HTTP. */
  readonly method: string;
  readonly path?: string | undefined;
  readonly attempt: number;
  readonly startMs: number;
  /** Absent: no answer yet. */
  readonly durationMs?: number | undefined;
  readonly status?: number | undefined;
  readonly outcome: string;
  /** The service's own id of the request. */
  readonly requestId?: string | undefined;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  readonly failure?: string | undefined;
}

export interface KeptBody {
  readonly framing: string;
  readonly contentLength?: number | undefined;
  readonly declaredSize?: number | undefined;
  readonly received: number;
  readonly chunks: number;
  /** Absent: none. */
  readonly declared?: readonly Digest[] | undefined;
  readonly computed?: readonly Digest[] | undefined;
}

export interface KeptFailure {
  readonly code: string;
  readonly status?: number | undefined;
  readonly message: string;
  readonly causes: readonly { readonly name: string; readonly message: string }[];
}
