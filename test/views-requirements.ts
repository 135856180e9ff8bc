/** Requirements on how every view explains a wait: id → source and behavior. */
export const viewsRequirements = {} as const
