import { z } from 'zod'
import { dashboardFiles } from '../../worker/docs/dashboards.ts'

const Dashboard = z.object({
  panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })).optional() })),
})

/** The PromQL of all panels. */
export function dashboardExpressions(): string[] {
  return Object.values(dashboardFiles()).flatMap((json) =>
    Dashboard.parse(JSON.parse(json)).panels.flatMap(({ targets = [] }) =>
      targets.map(({ expr }) => expr),
    ),
  )
}
