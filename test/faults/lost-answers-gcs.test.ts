import { describeLostAnswers } from './lost-answers.ts';

describeLostAnswers('gcs');
