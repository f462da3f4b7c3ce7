import { hostname } from 'node:os';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  type Resource,
} from '@opentelemetry/resources';
import { newHostId } from '../../observe/random-id.ts';
import { VERSION } from '../version.ts';

/**
 * The resource that all telemetry of this process describes. `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` win
 * over the values found here.
 */
export function processResource(): Resource {
  const own = resourceFromAttributes({
    'service.name': 's3-cloud-gateway',
    'service.version': VERSION,
    'service.instance.id': newHostId()
      .replaceAll(/[^A-Za-z0-9]/g, '')
      .slice(0, 16),
    'host.name': hostname(),
    'process.pid': process.pid,
  });
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
}
