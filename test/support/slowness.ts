/** How many times slower than two quiet cores this machine is, as the runner of the tests measured it. */
const slowness = Number(process.env['TEST_SLOWNESS'] ?? '1')

/** A limit of a test in milliseconds, longer on a slow machine. */
export const within = (ms: number): number => Math.ceil(ms * slowness)
