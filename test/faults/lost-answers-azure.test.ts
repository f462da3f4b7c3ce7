import { describeLostAnswers } from './lost-answers.ts';

describeLostAnswers('azure');
