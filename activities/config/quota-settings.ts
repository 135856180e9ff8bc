import { z } from 'zod'
import { count, text } from './setting-kinds.ts'

/** Four numbers: of an agent, of a client address, of all callers without trust, of all trusted ones. */
const quota = (numbers: string) =>
  z
    .string()
    .regex(/^[1-9][0-9]{0,14}(\/[1-9][0-9]{0,14}){3}$/, 'four numbers, such as 10/100/1000/10000')
    .default(numbers)
    .transform((text) => {
      const [agent = 0, address = 0, untrusted = 0, trusted = 0] = text.split('/').map(Number)
      return { agent, address, untrusted, trusted }
    })

/** The daily quotas of callers. */
export const quotaSettings = {
  QUOTA_REGISTRATIONS_PER_DAY: quota('1/100/1000/1000').describe(
    'registrations: see QUOTA_TASKS_PER_DAY',
  ),
  QUOTA_TASKS_PER_DAY: quota('10000/1000/10000/1000000').describe(
    'new tasks a day: of an agent / of a client address without trust / of all anonymous and sandbox callers / of all trusted callers',
  ),
  QUOTA_WORKFLOWS_PER_DAY: quota('20000/2000/20000/2000000').describe(
    'new workflows and recoveries of tasks: see QUOTA_TASKS_PER_DAY',
  ),
  QUOTA_CANDIDATES_PER_DAY: quota('100/20/1000/10000').describe(
    'descriptions of services of others: see QUOTA_TASKS_PER_DAY',
  ),
  QUOTA_PILOTS_PER_DAY: quota('20/5/500/500').describe(
    'intakes of pilots, in all no more than the 1000 that may wait: see QUOTA_TASKS_PER_DAY',
  ),
  QUOTA_ANALYSES_PER_DAY: quota('1000/100/2000/20000').describe(
    'free analyses and proofs of evidence: see QUOTA_TASKS_PER_DAY',
  ),
  QUOTA_RECORDS_PER_DAY: quota('200000/2000/100000/10000000').describe(
    'what other free calls leave on record, such as quotes, uses, signatures and questions to the write gate: see QUOTA_TASKS_PER_DAY',
  ),
  QUOTA_POSTS_PER_DAY: quota('20000/2000/20000/2000000').describe(
    'requests of callbacks, each counted when it is sent, and what callers without trust may send also when they ask for it: see QUOTA_TASKS_PER_DAY',
  ),
  QUOTA_KIB_PER_DAY: quota('262144/65536/1048576/67108864').describe(
    'KiB of bodies that are kept: see QUOTA_TASKS_PER_DAY',
  ),
}

const optionalOrigin = z
  .string()
  .regex(/^(https?:\/\/[^/?#@]+)?$/, 'an origin')
  .default('')

/** The tests of the running service: how many, and where they reach it. */
export const harnessSettings = {
  HARNESS_RUNS_PER_HOUR: count(2).describe(
    'tests that one client address may begin within an hour',
  ),
  HARNESS_RUNS_PER_DAY: count(20).describe(
    'tests that all callers may begin within a day, and an address a fifth of them; each registers up to five sandbox agents from the address of its worker',
  ),
  HARNESS_BASE_URL: optionalOrigin.describe('where workers reach BASE_URL for tests; empty: there'),
  HARNESS_OS_URL: optionalOrigin.describe('the same for OS_URL'),
}

/** The storage limits of uploads. */
export const uploadSettings = {
  INPUT_BYTES_PER_AGENT: count(1024 * 1024 * 1024).describe(
    'what the uploaded inputs of one agent may have in all',
  ),
  INPUT_BYTES_PER_SANDBOX: count(4 * 1024 * 1024).describe(
    'what the uploaded inputs of one sandbox agent may have in all',
  ),
  INPUT_BYTES_OF_SANDBOXES: count(256 * 1024 * 1024).describe(
    'what the uploads of all sandbox agents may have together',
  ),
  INPUT_BYTES_OF_AGENTS: count(16 * 1024 * 1024 * 1024).describe(
    'what the uploads of all other agents may have together',
  ),
  INPUT_SPACE_PATH: text().describe(
    'a directory on the volume of a local Postgres, whose free space is looked at before an upload; empty: none is',
  ),
  INPUT_SPACE_MIN: count(1024 * 1024 * 1024).describe(
    'free bytes there below which uploads are refused',
  ),
}
