import { spawnSync } from 'node:child_process'

/** Why `promtool` cannot be run; undefined if it can. */
export const noPromtool =
  spawnSync('promtool', ['--version']).status === 0
    ? undefined
    : 'there is no promtool: apt-get install prometheus'

/** The metrics that PromQL expressions name, without the suffixes of histograms. */
export function metricsIn(expressions: readonly string[]): string[] {
  const named = expressions.flatMap((text) =>
    [...text.matchAll(/\b(agent_rails|temporal|nodejs|process)_\w+/g)].map(([name]) =>
      name.replace(/_(bucket|sum|count)$/, ''),
    ),
  )
  return [...new Set(named)]
}
