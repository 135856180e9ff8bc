import type { Adapters } from '../../adapters.ts'
import { LogService } from './log.ts'

/** The transparency log. */
export const openLog = ({ db, config }: Adapters) => ({
  log: new LogService({ db, witnesses: config.LOG_WITNESSES }),
})
