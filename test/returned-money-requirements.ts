/** Requirements on refunds, disputes and payments with several windows: id → source and behavior. */
export const returnedMoneyRequirements = {} as const
