import { oneChangeOfAName } from '../../support/backends/fault-proxy/plans.ts';

/** Changes of one name more often than once a second are refused, as by Cloud Storage. */
export default oneChangeOfAName();
