import type { StepVerdict } from '#domain/tasks/controlled-loop.ts'
import type { Tx } from '../store/postgres/db.ts'
import type { RunRow } from '../store/runs/runs.ts'
import type { TaskRow } from '../store/tasks/tasks.ts'

export type StepResult = { verdict: StepVerdict; output: unknown; decidedBy: string | null }
/** A run at its current step, with its task. */
export type CurrentRun = { db: Tx; task: TaskRow; run: RunRow }
