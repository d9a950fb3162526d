// Tests of the room stand beside this file.
