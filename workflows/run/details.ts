import { REVISION_ROUNDS_MAX } from '../domain/controlled-loop.ts'
import type { RunSnapshot } from './ports.ts'

/** Markdown for the Temporal UI: the steps taken, what the run waits for, the act that unblocks it. */
export function runDetails(run: RunSnapshot): string {
  const waits =
    run.next === 'review'
      ? ['an operator’s decision on this run', 'POST /api/loop-review-console']
      : run.next === 'over'
        ? ['nothing here: its task has the word', 'none']
        : [`the step ${run.step}`, 'none']
  return [
    `### Run of ${run.rail} (${run.usage})`,
    '',
    `attempt ${run.attempt + 1}, revision ${run.round} of ${REVISION_ROUNDS_MAX}`,
    '',
    '| step | attempt | revision | ended |\n|---|---|---|---|',
    ...run.taken.map(
      ({ step, attempt, round, verdict }) => `| ${step} | ${attempt + 1} | ${round} | ${verdict ?? 'waits'} |`,
    ),
    '',
    `**Waits for** ${waits[0]}`,
    '',
    `**Unblocked by** ${waits[1]}`,
  ].join('\n')
}
