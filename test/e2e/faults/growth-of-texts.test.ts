import { verifies } from '../../verifies.ts'
import { bombs, ofTexts } from './bombs.ts'
import { expectGrowth } from './growth.ts'

for (const bomb of bombs.filter(ofTexts))
  verifies('isolation.growth', bomb.name, () => expectGrowth(bomb))
