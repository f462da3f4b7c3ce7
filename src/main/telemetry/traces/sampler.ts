import { TraceFlags } from '@opentelemetry/api';
import type { Environment } from '../../../../config/load.ts';
import type { HeadSampler } from '../../../observe/trace-context.ts';
import { StartError } from '../../start-error.ts';
import { firstSet, unknown } from '../variables.ts';

type RootSampler = (traceId: string) => boolean;

const ROOTS: Readonly<Record<string, (ratio: number) => RootSampler>> = {
  always_on: () => () => true,
  always_off: () => () => false,
  traceidratio: sampleRatio,
};
const PARENT_BASED = 'parentbased_';

/**
 * The sampler that `OTEL_TRACES_SAMPLER` and its `_ARG` name. Parent-based ones follow the caller's decision where
 * there is one. The SDK's samplers would be asked of every request, with a context, for a result object: the decision
 * alone costs a quarter of that.
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#general-sdk-configuration
 * @throws StartError naming a variable whose value is not known
 */
export function samplerOf(environment: Environment): HeadSampler {
  const [name, kind] = firstSet(environment, ['OTEL_TRACES_SAMPLER'], `${PARENT_BASED}always_on`);
  const parentBased = kind.startsWith(PARENT_BASED);
  const root = ROOTS[parentBased ? kind.slice(PARENT_BASED.length) : kind];
  if (root === undefined) {
    throw unknown(name, kind, [...Object.keys(ROOTS), ...Object.keys(ROOTS).map((own) => `${PARENT_BASED}${own}`)]);
  }
  const decide = root(ratioOf(environment));
  if (!parentBased) return (_parent, traceId) => decide(traceId);
  return (parent, traceId) => (parent === undefined ? decide(traceId) : (parent.traceFlags & TraceFlags.SAMPLED) !== 0);
}

function ratioOf(environment: Environment): number {
  const [argument, ratio] = firstSet(environment, ['OTEL_TRACES_SAMPLER_ARG'], '1');
  if (!(Number(ratio) >= 0 && Number(ratio) <= 1)) {
    throw new StartError([`${argument}: expected a number from 0 to 1, got ${ratio}`]);
  }
  return Number(ratio);
}

/**
 * Of a trace id the last 56 bits are random and decide, here the upper 52 of them: so do other consistent samplers.
 * https://opentelemetry.io/docs/specs/otel/trace/tracestate-probability-sampling/
 */
function sampleRatio(ratio: number): RootSampler {
  const threshold = (1 - ratio) * 2 ** 52;
  return (traceId) => Number.parseInt(traceId.slice(18, 31), 16) >= threshold;
}
