/** Requirements on what a call may cost before and after its caller is known: id → source and behavior. */
export const admissionRequirements = {} as const
