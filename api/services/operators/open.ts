import { openControls } from '../../../activities/payouts/controls.ts'
import type { Adapters } from '../../adapters.ts'
import { OperatorService } from './operators.ts'

/** Operators, and the pauses that they set. */
export const openOperators = (adapters: Adapters) => ({
  operators: new OperatorService(adapters),
  controls: openControls(adapters),
})
