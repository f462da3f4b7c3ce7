import { afterAll, vi } from 'vitest';

// Files of one thread share its clock: what one has set forward would be the time of those behind it.
afterAll(() => void vi.useRealTimers());
