import { walletRunRead } from './read.ts'
import { walletRunStart } from './start.ts'

/** Runs that are paid from an allowance wallet, with their orders (endpoints §12). */
export const walletRuns = [walletRunRead, walletRunStart] as const
