import { signingRotate } from './rotate.ts'
import { signingSign } from './sign.ts'
import { signingVerify } from './verify.ts'
import { signingVersionsRead } from './versions-read.ts'

/** Keys of agents, their rotation, and what is stated under them. */
export const signing = [signingVersionsRead, signingRotate, signingSign, signingVerify] as const
