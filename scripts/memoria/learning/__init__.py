"""The bandit: arms, plays, rewards, the joint model, the slate of a session."""
