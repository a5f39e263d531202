-- Hashes are shown by whether any value was ever hidden, so nobody asks for documents without a salt.
drop index traces_unsalted;
drop index traces_past_unsalted;
