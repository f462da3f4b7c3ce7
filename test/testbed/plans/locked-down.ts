import { lockedDown } from '../../support/backends/fault-proxy/plans.ts';

/** Every copy by URL is refused, as by an Azure account behind a firewall. */
export default lockedDown();
