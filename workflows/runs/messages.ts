import { defineQuery } from '@temporalio/workflow'
import type { RunSnapshot } from './activities.ts'

export const viewQuery = defineQuery<RunSnapshot | null>('view')
