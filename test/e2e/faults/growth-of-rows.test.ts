import { verifies } from '../../verifies.ts'
import { bombs, ofTexts } from './bombs.ts'
import { expectGrowth } from './growth.ts'

for (const bomb of bombs)
  if (!ofTexts(bomb)) verifies('isolation.growth', bomb.name, () => expectGrowth(bomb))
