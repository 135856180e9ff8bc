import { createProspect } from './create.ts'
import { readProspects } from './list.ts'
import { recordMessageSent } from './message-sent.ts'
import { paidNextStepMark } from './next-step-mark.ts'
import { paidNextStepRead } from './next-step-read.ts'
import { outreachPack } from './outreach.ts'
import { readLiveProspectSprint, sprintRead } from './sprint-read.ts'
import { recordSprintSummary } from './summarise.ts'
import { updateProspectState } from './update.ts'

/** Prospects of operators, the sprint that counts them, and their next steps. */
export const prospects = [
  sprintRead,
  readLiveProspectSprint,
  createProspect,
  recordMessageSent,
  updateProspectState,
  readProspects,
  recordSprintSummary,
  paidNextStepRead,
  paidNextStepMark,
  outreachPack,
] as const
