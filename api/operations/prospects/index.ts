import { paidNextStepMark, paidNextStepRead } from './next-steps.ts'
import {
  createProspect,
  outreachPack,
  readLiveProspectSprint,
  readProspects,
  recordMessageSent,
  recordSprintSummary,
  sprintRead,
  updateProspectState,
} from './prospects.ts'

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
