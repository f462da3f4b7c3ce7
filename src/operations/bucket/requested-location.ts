import { S3Error } from '../../errors/s3-error.ts';
import { isAwsLocation, isRegionName } from '../../protocol/regions.ts';
import type { OperationSettings } from '../operation.ts';

const DEFAULT_REGION = 'us-east-1';

/**
 * Checks that a bucket is requested for this place. If the endpoint's region is not us-east-1, the constraint must name
 * that region. In us-east-1, and where clients of any region are served, it may name another one.
 * @throws S3Error InvalidLocationConstraint (no such place), IllegalLocationConstraintException (not this region's)
 */
export function requireLocation(
  location: string | undefined,
  { region, acceptAnyRegion = false }: OperationSettings,
): void {
  if (location === region) return;
  const isUnnamed = location === undefined || location === '';
  if (region !== DEFAULT_REGION && !acceptAnyRegion) {
    throw new S3Error('IllegalLocationConstraintException', {
      message: `The ${isUnnamed ? 'unspecified' : location} location constraint is incompatible for the region specific endpoint this request was sent to.`,
    });
  }
  if (isUnnamed || isAwsLocation(location) || (acceptAnyRegion && isRegionName(location))) return;
  throw new S3Error('InvalidLocationConstraint', { extra: { LocationConstraint: location } });
}
