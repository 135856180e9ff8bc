import { targetAges } from '../../../temporal/late-rows.ts'
import type { Adapters } from '../../adapters.ts'
import { WorkService } from './work.ts'

/** Payouts and tasks as operators look for them and recover them. */
export const openRecovery = (adapters: Adapters) => ({
  work: new WorkService({ ...adapters, ages: targetAges(adapters.config), tasks: adapters }),
})
